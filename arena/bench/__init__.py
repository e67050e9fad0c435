"""Figures of this machine: each beside a floor that was measured in the same run, because machines are noisy."""
