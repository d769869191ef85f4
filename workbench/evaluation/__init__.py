"""Metrics, folds, significance, reports."""

from workbench.evaluation.folds import Fold, k_fold
from workbench.evaluation.metrics import (
    auc_pr,
    auc_roc,
    average_precision,
    best_threshold,
    binary_scores,
    calibration,
    categorical_accuracy,
    conditional_log_likelihood,
    continuous_scores,
    f1_score,
    range_of,
    scores,
    scores_at,
    threshold_counts,
)
from workbench.evaluation.significance import (
    PairedTest,
    corrected_resampled_t_test,
    paired_t_test,
    paired_tests,
    summary,
    wilcoxon_test,
)
