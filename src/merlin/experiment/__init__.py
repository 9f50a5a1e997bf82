"""From experiment files to the settings of their runs."""

from merlin.experiment.loading import load_experiments, load_run, make_config

__all__ = ["load_experiments", "load_run", "make_config"]
