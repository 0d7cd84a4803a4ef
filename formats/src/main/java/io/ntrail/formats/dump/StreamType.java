package io.ntrail.formats.dump;

import java.util.Optional;

/** Kinds of streams of minidumps (MINIDUMP_STREAM_TYPE, and those of other writers). */
public enum StreamType {
  UNUSED(0, "UnusedStream"),
  THREAD_LIST(3, "ThreadListStream"),
  MODULE_LIST(4, "ModuleListStream"),
  MEMORY_LIST(5, "MemoryListStream"),
  EXCEPTION(6, "ExceptionStream"),
  SYSTEM_INFO(7, "SystemInfoStream"),
  THREAD_EX_LIST(8, "ThreadExListStream"),
  MEMORY64_LIST(9, "Memory64ListStream"),
  COMMENT_A(10, "CommentStreamA"),
  COMMENT_W(11, "CommentStreamW"),
  HANDLE_DATA(12, "HandleDataStream"),
  FUNCTION_TABLE(13, "FunctionTableStream"),
  UNLOADED_MODULE_LIST(14, "UnloadedModuleListStream"),
  MISC_INFO(15, "MiscInfoStream"),
  MEMORY_INFO_LIST(16, "MemoryInfoListStream"),
  THREAD_INFO_LIST(17, "ThreadInfoListStream"),
  HANDLE_OPERATION_LIST(18, "HandleOperationListStream"),
  TOKEN(19, "TokenStream"),
  JAVA_SCRIPT_DATA(20, "JavaScriptDataStream"),
  SYSTEM_MEMORY_INFO(21, "SystemMemoryInfoStream"),
  PROCESS_VM_COUNTERS(22, "ProcessVmCountersStream"),
  IPT_TRACE(23, "IptTraceStream"),
  THREAD_NAMES(24, "ThreadNamesStream"),
  /** Streams of Windows CE. */
  CE_NULL(0x8000, "ceStreamNull"),
  CE_SYSTEM_INFO(0x8001, "ceStreamSystemInfo"),
  CE_EXCEPTION(0x8002, "ceStreamException"),
  CE_MODULE_LIST(0x8003, "ceStreamModuleList"),
  CE_PROCESS_LIST(0x8004, "ceStreamProcessList"),
  CE_THREAD_LIST(0x8005, "ceStreamThreadList"),
  CE_THREAD_CONTEXT_LIST(0x8006, "ceStreamThreadContextList"),
  CE_THREAD_CALL_STACK_LIST(0x8007, "ceStreamThreadCallStackList"),
  CE_MEMORY_VIRTUAL_LIST(0x8008, "ceStreamMemoryVirtualList"),
  CE_MEMORY_PHYSICAL_LIST(0x8009, "ceStreamMemoryPhysicalList"),
  CE_BUCKET_PARAMETERS(0x800A, "ceStreamBucketParameters"),
  CE_PROCESS_MODULE_MAP(0x800B, "ceStreamProcessModuleMap"),
  /** Streams of Breakpad. */
  BREAKPAD_INFO(0x4767_0001, "BreakpadInfoStream"),
  ASSERTION_INFO(0x4767_0002, "AssertionInfoStream"),
  LINUX_CPU_INFO(0x4767_0003, "LinuxCpuInfo"),
  LINUX_PROC_STATUS(0x4767_0004, "LinuxProcStatus"),
  LINUX_LSB_RELEASE(0x4767_0005, "LinuxLsbRelease"),
  LINUX_CMD_LINE(0x4767_0006, "LinuxCmdLine"),
  LINUX_ENVIRON(0x4767_0007, "LinuxEnviron"),
  LINUX_AUXV(0x4767_0008, "LinuxAuxv"),
  LINUX_MAPS(0x4767_0009, "LinuxMaps"),
  LINUX_DSO_DEBUG(0x4767_000A, "LinuxDsoDebug"),
  /** Streams of LLDB. */
  LINUX_PROC_STAT(0x4767_000B, "LinuxProcStat"),
  LINUX_PROC_UPTIME(0x4767_000C, "LinuxProcUptime"),
  LINUX_PROC_FD(0x4767_000D, "LinuxProcFd"),
  /** Stream of Crashpad. */
  CRASHPAD_INFO(0x4350_0001, "CrashpadInfoStream"),
  /** Stream of Kasko, the crash reporter of Syzygy. */
  KASKO_CRASH_KEYS(0x4B6B_0001, "KaskoCrashKeysStream"),
  /** Streams of Mozilla. */
  MOZ_MACOS_CRASH_INFO(0x4D7A_0001, "MozMacosCrashInfoStream"),
  MOZ_MACOS_BOOT_ARGS(0x4D7A_0002, "MozMacosBootargsStream"),
  MOZ_LINUX_LIMITS(0x4D7A_0003, "MozLinuxLimits"),
  MOZ_SOFT_ERRORS(0x4D7A_0004, "MozSoftErrors");

  private final int number;
  private final String title;

  StreamType(int number, String title) {
    this.number = number;
    this.title = title;
  }

  /** Returns the type with a number; empty if it is not known. */
  public static Optional<StreamType> of(int number) {
    for (StreamType type : values()) {
      if (type.number == number) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** Returns the number in the directory. */
  public int number() {
    return number;
  }

  /** Returns the name as the headers of its writer spell it. */
  public String title() {
    return title;
  }
}
