"""Environments of PettingZoo and Gymnasium for every game. They need the extra ``environments``."""
