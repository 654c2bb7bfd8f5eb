"""-a fails: Python asks the class for `__neg__`, and what it finds returns nothing useful."""
# fails: subtract

def negative(self):
    return None


Value.__neg__ = negative
