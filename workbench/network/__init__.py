"""The ground network: energy, counts, relaxation, components, explanation."""
