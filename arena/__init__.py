"""Arena: competitions between programs that play games."""
