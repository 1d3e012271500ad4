"""The cheapest program: its gradient is x, of as many parameters as its argument says."""

import sys

import hearsay
import numpy

x0 = numpy.ones(int(sys.argv[1]), numpy.float32)
for ask in hearsay.Peer(x0=x0, samples=1000, loss=lambda x: 0.0):
    ask.gradient[:] = ask.x
