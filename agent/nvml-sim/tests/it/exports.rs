//! Every call that a reader of cards makes is there.

use std::ffi::OsStr;
use std::process::Command;

use crate::support::built_library;

/// What the agent calls, and what other readers of cards look up.
const CALLS: &str = "
    nvmlInit_v2 nvmlInitWithFlags nvmlShutdown nvmlErrorString nvmlSystemGetDriverVersion nvmlSystemGetNVMLVersion
    nvmlSystemGetCudaDriverVersion_v2 nvmlSystemGetProcessName nvmlDeviceGetCount_v2 nvmlDeviceGetHandleByIndex_v2
    nvmlDeviceGetHandleByUUID nvmlDeviceGetHandleByPciBusId_v2 nvmlDeviceGetName nvmlDeviceGetUUID nvmlDeviceGetSerial
    nvmlDeviceGetVbiosVersion nvmlDeviceGetBoardPartNumber nvmlDeviceGetBoardId nvmlDeviceGetIndex
    nvmlDeviceGetMinorNumber nvmlDeviceGetPciInfo_v3 nvmlDeviceGetBrand nvmlDeviceGetArchitecture
    nvmlDeviceGetCudaComputeCapability nvmlDeviceGetNumGpuCores nvmlDeviceGetMemoryInfo nvmlDeviceGetMemoryInfo_v2
    nvmlDeviceGetBAR1MemoryInfo nvmlDeviceGetUtilizationRates nvmlDeviceGetEncoderUtilization
    nvmlDeviceGetDecoderUtilization nvmlDeviceGetTemperature nvmlDeviceGetTemperatureThreshold nvmlDeviceGetPowerUsage
    nvmlDeviceGetEnforcedPowerLimit nvmlDeviceGetPowerManagementLimit nvmlDeviceGetPowerManagementDefaultLimit
    nvmlDeviceGetPowerManagementLimitConstraints nvmlDeviceGetTotalEnergyConsumption nvmlDeviceGetNumFans
    nvmlDeviceGetFanSpeed_v2 nvmlDeviceGetClockInfo nvmlDeviceGetMaxClockInfo nvmlDeviceGetPerformanceState
    nvmlDeviceGetComputeMode nvmlDeviceGetPersistenceMode nvmlDeviceGetCurrentClocksThrottleReasons
    nvmlDeviceGetSupportedClocksThrottleReasons nvmlDeviceGetCurrPcieLinkGeneration nvmlDeviceGetCurrPcieLinkWidth
    nvmlDeviceGetMaxPcieLinkGeneration nvmlDeviceGetMaxPcieLinkWidth nvmlDeviceGetPcieThroughput
    nvmlDeviceGetPcieReplayCounter nvmlDeviceGetComputeRunningProcesses_v3 nvmlDeviceGetGraphicsRunningProcesses_v3
    nvmlDeviceGetMPSComputeRunningProcesses_v3 nvmlDeviceGetProcessUtilization nvmlDeviceGetComputeRunningProcesses_v2
    nvmlDeviceGetGraphicsRunningProcesses_v2 nvmlDeviceGetEccMode nvmlDeviceGetMemoryErrorCounter
    nvmlDeviceGetTotalEccErrors nvmlDeviceGetRetiredPages nvmlDeviceGetRetiredPages_v2
    nvmlDeviceGetRetiredPagesPendingStatus nvmlDeviceGetRemappedRows nvmlDeviceGetFieldValues nvmlDeviceGetMigMode
    nvmlDeviceGetMaxMigDeviceCount nvmlDeviceGetMigDeviceHandleByIndex nvmlDeviceGetDeviceHandleFromMigDeviceHandle
    nvmlDeviceIsMigDeviceHandle nvmlDeviceGetAttributes_v2 nvmlDeviceGetGpuInstanceId nvmlDeviceGetComputeInstanceId
    nvmlDeviceGetTopologyCommonAncestor nvmlDeviceGetP2PStatus nvmlDeviceOnSameBoard nvmlDeviceGetCpuAffinity
    nvmlDeviceGetNumaNodeId nvmlDeviceGetMemoryAffinity nvmlDeviceGetNvLinkState nvmlDeviceGetNvLinkVersion
    nvmlDeviceGetNvLinkCapability nvmlDeviceGetNvLinkRemotePciInfo_v2 nvmlDeviceGetNvLinkRemoteDeviceType
    nvmlDeviceGetNvLinkErrorCounter nvmlDeviceGetVirtualizationMode nvmlDeviceGetGspFirmwareVersion
    nvmlGetExcludedDeviceCount nvmlGetExcludedDeviceInfoByIndex nvmlEventSetCreate nvmlEventSetFree nvmlEventSetWait_v2
    nvmlDeviceRegisterEvents nvmlDeviceGetSupportedEventTypes
    nvmlDeviceGetConfComputeMemSizeInfo nvmlDeviceGetRunningProcessDetailList";

#[test]
#[expect(unsafe_code, reason = "a library is loaded to see what it exports; nothing of it is called")]
fn every_call_is_exported() {
    // SAFETY: the library runs no code of its own when it is loaded.
    let library = unsafe { libloading::Library::new(built_library()) }.expect("load");
    for call in CALLS.split_whitespace() {
        // SAFETY: the symbol is looked up, not called.
        let found = unsafe { library.get::<unsafe extern "C" fn()>(call.as_bytes()) };
        assert!(found.is_ok(), "{call}");
    }
}

/// Readers of cards in other languages find it by its name on the loader's path.
#[test]
fn the_loader_finds_it_by_name() {
    if std::env::var_os("NVML_SIM_BY_NAME").is_some() {
        let nvml = nvml_wrapper::Nvml::init().expect("start");
        assert_eq!(nvml.device_count().expect("count"), 3);
        return;
    }
    let host = crate::support::SimHost::new("ws-mixed");
    let again = Command::new(std::env::current_exe().expect("path of the test"))
        .args(["--exact", "exports::the_loader_finds_it_by_name"])
        .env("NVML_SIM_BY_NAME", "1")
        .env("LD_LIBRARY_PATH", host.library().parent().map_or(OsStr::new("."), |folder| folder.as_os_str()))
        .output()
        .expect("the test once more");
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && said.contains("1 passed"), "{said}");
}
