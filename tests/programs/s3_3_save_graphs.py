import minigraph as ms
# Source 3, section 5: dump the IR.  Runs as published (deprecated spelling; today: MS_DEV_SAVE_GRAPHS=1|2|3 and
# MS_DEV_SAVE_GRAPHS_PATH).  Prints only file-name facts that do not depend on numbering.
import os
import re
import shutil
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
shutil.rmtree("./graphs", ignore_errors=True)
ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_context(save_graphs=True, save_graphs_path="./graphs")


@ms.jit
def correct_func(x):
    return x + ops.sin(x)


print(correct_func(Tensor(np.array([0.1, 0.2, 0.3], np.float32))))
files = sorted(n for _, _, ns in os.walk("./graphs") for n in ns)
print("extensions", sorted({os.path.splitext(f)[1] for f in files}))
stages = [re.sub(r"^\d\d_|_\d{4}\.ir$", "", f) for f in files if re.match(r"\d\d_", f)]
print(len(stages), "numbered stages:", stages)
last = [f for f in files if re.match(r"\d\d_execute_", f)][0]
path = [os.path.join(d, n) for d, _, ns in os.walk("./graphs") for n in ns if n == last][0]
ops_in_order = re.findall(r"= PrimFunc_(\w+)\(", open(path).read())
print("execute", ops_in_order)
shutil.rmtree("./graphs", ignore_errors=True)
