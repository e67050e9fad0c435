"""What `arena doctor` knows: which layers of isolation hold on this machine, why others do not, and the remedy."""
