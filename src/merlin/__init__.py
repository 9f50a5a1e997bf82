"""merlin: deep reinforcement-learning experiments from YAML files."""

__version__ = "0.1.0"
