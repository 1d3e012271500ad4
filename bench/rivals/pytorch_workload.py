"""What all ways of pytorch.py have in common: they train an MLP on images of MNIST."""

BATCH = 16  # samples that a process draws for a step
STEP_SIZE = 0.2
TARGET_LOSS = 0.6  # of the mean model, on the training images
