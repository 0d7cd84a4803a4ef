package io.ntrail.live.etw;

import io.ntrail.formats.bytes.BytesBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Kernel events that Windows can walk a stack for, by the names of xperf and of WPR's profiles
 * (case-insensitive), or any other as {@code 0xGGTT}: group and type of its hook id.
 *
 * <p>Source: names of {@code xperf -help stackwalk} and of SystemStackEnumeration in WPR's schema,
 * hook ids of the equal names in ntwmi.h.
 */
public final class StackEvents {
  /** Events that a session can have stacks of, by Windows' own limit. */
  public static final int MOST = 256;

  /**
   * Event with a stack.
   *
   * @param name as it was asked for
   * @param hookId group * 256 + type
   * @param group name of the group that logs it, as xperf has it; empty if none is known
   */
  public record StackEvent(String name, int hookId, String group) {}

  private static final Pattern NUMBER = Pattern.compile("0[xX]([0-9a-fA-F]{1,4})");

  /** A line: xperf's name of the group that logs it, or -; names of xperf and WPR with hook ids. */
  private static final String EVENTS =
      """
      PROC_THREAD ProcessCreate=0301 ProcessDelete=0302 ThreadCreate=0501 ThreadDelete=0502
      LOADER ImageLoad=030A ImageUnload=1402
      CSWITCH CSwitch=0524
      DISPATCHER ReadyThread=0532
      PRIORITY ThreadSetPriority=0530 ThreadSetBasePriority=0531
      KQUEUE KernelQueueEnqueue=053E KernelQueueDequeue=053F
      - ExecutiveResource=052B Mark=0F22
      SYSCALL SyscallEnter/SystemCallEnter=0F33 SyscallExit/SystemCallExit=0F34
      PROFILE Profile/SampledProfile=0F2E ProfileSetInterval/SampledProfileSetInterval=0F48
      - TimerSetPeriodic/TimerPeriodic=0F52 TimerSetOneShot/TimerOneShot=0F53
      PMC_PROFILE PmcInterrupt=0F2F
      DISK_IO_INIT DiskReadInit=010C DiskWriteInit=010D DiskFlushInit=010F
      FILE_IO_INIT FileCreate=0440 FileCleanup=0441 FileClose=0442 FileRead=0443 FileWrite=0444
      FILE_IO_INIT FileSetInformation=0445 FileDelete=0446 FileRename=0447 FileDirEnum=0448
      FILE_IO_INIT FileFlush=0449 FileQueryInformation=044A FileFSCTL=044B FileDirNotify=044D
      FILE_IO FileOpEnd=044C
      VAMAP MapFile=0425 UnMapFile=0426
      FLT_IO_INIT MiniFilterPreOpInit=0460 MiniFilterPostOpInit=0461
      SPLIT_IO SplitIO=1B20
      REGISTRY RegCreateKey/RegistryCreateKey=090A RegOpenKey/RegistryOpenKey=090B
      REGISTRY RegDeleteKey/RegistryDeleteKey=090C RegQueryKey/RegistryQueryKey=090D
      REGISTRY RegSetValue/RegistrySetValue=090E RegDeleteValue/RegistryDeleteValue=090F
      REGISTRY RegQueryValue/RegistryQueryValue=0910 RegEnumerateKey/RegistryEnumerateKey=0911
      REGISTRY RegEnumerateValueKey/RegistryEnumerateValueKey=0912
      REGISTRY RegQueryMultipleValue/RegistryQueryMultipleValue=0913
      REGISTRY RegSetInformation/RegistrySetInformation=0914 RegFlush/RegistryFlush=0915
      REGISTRY RegKcbCreate/RegistryKcbCreate=0916 RegKcbDelete/RegistryKcbDelete=0917
      REGISTRY RegVirtualize/RegistryVirtualize=091A RegCloseKey/RegistryCloseKey=091B
      REG_HIVE RegHiveInit=0924 RegHiveDestroy=0925 RegHiveLink=0926 RegHiveDirty=0928
      HARD_FAULTS HardFault=0220
      ALL_FAULTS PagefaultTransition=020A PagefaultDemandZero=020B PagefaultCopyOnWrite=020C
      ALL_FAULTS PagefaultGuard=020D PagefaultHard=020E PagefaultAV=020F
      VIRT_ALLOC VirtualAlloc/VirtualAllocation=0262 VirtualFree=0263
      - PageAccess=0276 PageRelease=0277 PageRangeAccess=0278 PageRangeRelease=0279
      - PageAccessEx=0282 PageRemovedfromWorkingSet=0283 PagefileMappedSectionCreate=0249
      - PagefileMappedSectionDelete=024F PagefileBackedImageMapping=0269
      CONTMEMGEN ContiguousMemoryGeneration=0271
      ALPC AlpcSendMessage=1A21 AlpcReceiveMessage=1A22 AlpcWaitForReply=1A23
      ALPC AlpcWaitForNewMessage=1A24 AlpcUnwait=1A25 AlpcConnectRequest=1A26
      ALPC AlpcConnectSuccess=1A27 AlpcConnectFail=1A28 AlpcClosePort=1A29
      POWER PowerSetPowerAction=1222 PowerSetPowerActionReturn=1223 PowerSetDevicesState=1224
      POWER PowerSetDevicesStateReturn=1225 PowerDeviceNotify=1226 PowerDeviceNotifyComplete=1227
      POWER PowerSessionCallout=1228 PowerSessionCalloutReturn=1229 PowerPreSleep=1230
      POWER PowerPostSleep=1231 PowerPerfStateChange=1233 PowerIdleStateChange=1235
      POWER PowerThermalConstraint=1236
      CC CcWorkitemEnqueue=1600 CcWorkitemDequeue=1601 CcWorkitemComplete=1602 CcReadAhead=1603
      CC CcWriteBehind=1604 CcLazyWriteScan=1605 CcCanIWriteFail=1606 CcFlushCache=1609
      CC CcFlushSection=160A
      POOL PoolAlloc/PoolAllocation=0E20 PoolFree=0E22
      Handle HandleCreate=1120 HandleClose=1121 HandleDuplicate=1122
      """;

  /**
   * Events of heaps and thread pools come from sessions of their own, of chosen processes: a kernel
   * session has none of them.
   */
  private static final String OTHER_SESSIONS =
      "HeapCreate HeapAlloc HeapAllocation HeapRealloc HeapReallocation HeapDestroy HeapFree"
          + " HeapRangeCreate HeapRangeReserve HeapRangeRelease HeapRangeDestroy"
          + " ThreadPoolCallbackEnqueue ThreadPoolCallbackDequeue ThreadPoolCallbackStart"
          + " ThreadPoolCallbackStop ThreadPoolCallbackCancel ThreadPoolCreate ThreadPoolClose"
          + " ThreadPoolSetMinThreads ThreadPoolSetMaxThreads";

  private final Map<String, StackEvent> events = new LinkedHashMap<>();

  /** Reads the table. */
  public StackEvents() {
    for (String line : EVENTS.lines().toList()) {
      String[] words = line.split(" ", -1);
      String group = words[0].equals("-") ? "" : words[0];
      for (int i = 1; i < words.length; i++) {
        String[] parts = words[i].split("=", -1);
        int hookId = Integer.parseInt(parts[1], 16);
        for (String name : parts[0].split("/", -1)) {
          events.put(name.toUpperCase(Locale.ROOT), new StackEvent(name, hookId, group));
        }
      }
    }
  }

  /** Returns the event of a name or number. */
  public Optional<StackEvent> named(String name) {
    var number = NUMBER.matcher(name);
    if (number.matches()) {
      int hookId = Integer.parseInt(number.group(1), 16);
      return Optional.of(new StackEvent("0x%04X".formatted(hookId), hookId, ""));
    }
    return Optional.ofNullable(events.get(name.toUpperCase(Locale.ROOT)));
  }

  /** Returns whether the name is of an event that sessions of another kind log. */
  public boolean isOfOtherSessions(String name) {
    return Arrays.asList(OTHER_SESSIONS.split(" ", -1)).stream().anyMatch(name::equalsIgnoreCase);
  }

  /** Returns all names. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    events.values().forEach(event -> names.add(event.name()));
    return names;
  }

  /**
   * Returns hook ids as StackWalkingFilter has them: 32 bits each.
   *
   * @throws IllegalArgumentException if there are more than {@link #MOST}
   */
  public static byte[] filter(List<StackEvent> events) {
    if (events.size() > MOST) {
      throw new IllegalArgumentException("more than " + MOST + " events with stacks");
    }
    BytesBuilder bytes = new BytesBuilder(events.size() * Integer.BYTES);
    events.forEach(event -> bytes.u32(event.hookId()));
    return bytes.toArray();
  }
}
