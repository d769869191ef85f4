"""The web page: Streamlit over the workspace's public names."""
