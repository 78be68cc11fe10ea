"""Nothing is wrong with this one."""

from _driver import Driver

Driver().serve()
