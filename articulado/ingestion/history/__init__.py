"""Earlier wordings of provisions, and the reforms that changed them."""
