"""Reads all cards through nvidia-ml-py and through nvitop, and prints what each says in one form.

Memory is in MiB, power in milliwatts; what a reader does not know is null. MIG instances follow their card.
"""

import json

import nvitop
import pynvml


def attempt(call, *arguments, **named):
    try:
        return call(*arguments, **named)
    except pynvml.NVMLError:
        return None


def mib(size):
    return size >> 20 if isinstance(size, int) else None


def number(value):
    return value if isinstance(value, int) else None


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def by_pynvml(handle):
    memory = attempt(pynvml.nvmlDeviceGetMemoryInfo, handle, version=pynvml.nvmlMemory_v2)
    if memory is None:
        memory = attempt(pynvml.nvmlDeviceGetMemoryInfo, handle)
    rates = attempt(pynvml.nvmlDeviceGetUtilizationRates, handle)
    lists = [
        pynvml.nvmlDeviceGetComputeRunningProcesses_v3,
        pynvml.nvmlDeviceGetGraphicsRunningProcesses_v3,
        pynvml.nvmlDeviceGetMPSComputeRunningProcesses_v3,
    ]
    if attempt(lists[0], handle) is None:
        lists = [pynvml.nvmlDeviceGetComputeRunningProcesses_v2, pynvml.nvmlDeviceGetGraphicsRunningProcesses_v2]
    found = [attempt(one, handle) for one in lists]
    processes = None
    if found[0] is not None:
        records = [process for one in found for process in one or []]
        processes = sorted({(process.pid, mib(process.usedGpuMemory)) for process in records})
    return {
        "uuid": text(pynvml.nvmlDeviceGetUUID(handle)),
        "name": text(pynvml.nvmlDeviceGetName(handle)),
        "memory_total": mib(memory.total) if memory else None,
        "memory_used": mib(memory.used) if memory else None,
        "utilisation": rates.gpu if rates else None,
        "temperature": attempt(pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU),
        "power": attempt(pynvml.nvmlDeviceGetPowerUsage, handle),
        "power_limit": attempt(pynvml.nvmlDeviceGetEnforcedPowerLimit, handle),
        "processes": processes,
        "fan": attempt(pynvml.nvmlDeviceGetFanSpeed, handle),
        "sm_clock": attempt(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_SM),
        "memory_clock": attempt(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_MEM),
        "memory_utilisation": rates.memory if rates else None,
        "encoder": first(attempt(pynvml.nvmlDeviceGetEncoderUtilization, handle)),
        "decoder": first(attempt(pynvml.nvmlDeviceGetDecoderUtilization, handle)),
        "energy": attempt(pynvml.nvmlDeviceGetTotalEnergyConsumption, handle),
        "performance_state": attempt(pynvml.nvmlDeviceGetPerformanceState, handle),
        "pcie_generation": attempt(pynvml.nvmlDeviceGetCurrPcieLinkGeneration, handle),
        "pcie_width": attempt(pynvml.nvmlDeviceGetCurrPcieLinkWidth, handle),
        "ecc_corrected": ecc(handle, pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
        "ecc_uncorrected": ecc(handle, pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
    }


def first(pair):
    return pair[0] if pair else None


def ecc(handle, kind):
    return attempt(pynvml.nvmlDeviceGetTotalEccErrors, handle, kind, pynvml.NVML_VOLATILE_ECC)


def instances(handle):
    for place in range(attempt(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        instance = attempt(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, place)
        if instance is not None:
            yield instance


def all_by_pynvml():
    pynvml.nvmlInit()
    cards = []
    for index in range(pynvml.nvmlDeviceGetCount()):
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        cards.append(by_pynvml(handle))
        cards.extend(by_pynvml(instance) for instance in instances(handle))
    pynvml.nvmlShutdown()
    return cards


def by_nvitop(device):
    return {
        "uuid": device.uuid(),
        "name": device.name(),
        "memory_total": mib(device.memory_total()),
        "memory_used": mib(device.memory_used()),
        "utilisation": number(device.gpu_utilization()),
        "temperature": number(device.temperature()),
        "power": number(device.power_usage()),
        "power_limit": number(device.power_limit()),
        "processes": sorted((pid, mib(process.gpu_memory())) for pid, process in device.processes().items()),
        "fan": number(device.fan_speed()),
        "sm_clock": number(device.sm_clock()),
        "memory_clock": number(device.memory_clock()),
        "memory_utilisation": number(device.memory_utilization()),
        "encoder": number(device.encoder_utilization()),
        "decoder": number(device.decoder_utilization()),
        "ecc_uncorrected": number(device.total_volatile_uncorrected_ecc_errors()),
    }


def all_by_nvitop():
    cards = []
    for device in nvitop.Device.all():
        cards.append(by_nvitop(device))
        cards.extend(by_nvitop(instance) for instance in device.mig_devices())
    return cards


print(json.dumps({"pynvml": all_by_pynvml(), "nvitop": all_by_nvitop()}))
