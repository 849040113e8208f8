"""A stand-in for a notebook."""


class Shell:
    """A stand-in for IPython with one cell."""

    compile = property(lambda self: self)

    def get_ipython(self):
        return self

    def format_code_name(self, name):
        return ("Cell", "In[3]") if name == CELL else None


CELL = "/nowhere/ipykernel_7/2356373881.py"
