import sys

from jupyter_client.manager import KernelManager

kernel = KernelManager(kernel_name=sys.argv[1])
kernel.start_kernel()
# What is in the kernel's place ends by itself once it has written down how it was started.
kernel.provisioner.process.wait()
kernel.cleanup_resources()
