package io.ntrail.formats.etl.groups;

import io.ntrail.formats.bytes.BytesBuilder;
import java.util.ArrayList;
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

  /** Group of hook ids of heaps. */
  private static final int HEAPS = 0x10;

  /** Begins a line of events that a kernel session does not log. */
  private static final String OTHER = "!";

  /**
   * A line: the group that logs the events (xperf's name, or WPR's where xperf has none; - if none
   * is known; ! for heaps and thread pools, which have sessions of their own, of chosen processes),
   * then xperf's and WPR's name of each (one if they are equal, - for none), and its hook id.
   */
  private static final String EVENTS =
      """
      PROC_THREAD ProcessCreate=0301 ProcessDelete=0302 ThreadCreate=0501 ThreadDelete=0502
      PROC_THREAD -/ThreadDCEnd=0504 -/ThreadDCStart=0503
      LOADER ImageLoad=030A ImageUnload=1402
      CSWITCH CSwitch=0524
      DISPATCHER ReadyThread=0532
      - -/DpcEnqueue=0F64 -/DpcExecute=0F65
      IPI -/InterProcessorInterrupt=0F5B
      PRIORITY ThreadSetPriority=0530 ThreadSetBasePriority=0531
      KQUEUE KernelQueueEnqueue=053E KernelQueueDequeue=053F
      - ExecutiveResource=052B Mark=0F22 PageAccess=0276 PageRelease=0277 PageRangeAccess=0278
      - PageRangeRelease=0279 PageAccessEx/-=0282 PageRemovedfromWorkingSet/-=0283
      - PagefileMappedSectionCreate=0249 PagefileMappedSectionDelete=024F
      - PagefileBackedImageMapping=0269 -/KernelSignal=? -/KernelSignalInit=? -/KernelSync=?
      - -/KernelSyncAll=? -/KernelWaitSync=? -/KernelWaitSyncAll=?
      SYSCALL SyscallEnter/SystemCallEnter=0F33 SyscallExit/SystemCallExit=0F34
      PROFILE Profile/SampledProfile=0F2E ProfileSetInterval/SampledProfileSetInterval=0F48
      TIMER TimerSetPeriodic/TimerPeriodic=0F52 TimerSetOneShot/TimerOneShot=0F53
      PMC_PROFILE PmcInterrupt/-=0F2F
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
      REGISTRY -/RegistryQuerySecurity=? -/RegistrySetSecurity=?
      REG_HIVE RegHiveInit=0924 RegHiveDestroy=0925 RegHiveLink=0926 RegHiveDirty=0928
      HARD_FAULTS HardFault=0220
      ALL_FAULTS PagefaultTransition=020A PagefaultDemandZero=020B PagefaultCopyOnWrite=020C
      ALL_FAULTS PagefaultGuard=020D PagefaultHard=020E PagefaultAV=020F
      VIRT_ALLOC VirtualAlloc/VirtualAllocation=0262 VirtualFree=0263
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
      POOL PoolAlloc/PoolAllocation=0E20 PoolFree=0E22 -/PoolAllocationSession=0E21
      POOL -/PoolFreeSession=0E23
      Handle HandleCreate=1120 HandleClose=1121 HandleDuplicate=1122
      WakeCounter -/ChargeWakeCounterUser=0330 -/ChargeWakeCounterDevice=?
      WakeCounter -/ChargeWakeCounterKernel=0332 -/ChargeWakeCounterPower=?
      WakeCounter -/ReleaseWakeCounterUser=0340 -/ReleaseWakeCounterDevice=?
      WakeCounter -/ReleaseWakeCounterKernel=0342 -/ReleaseWakeCounterPower=?
      Object -/ObjectCreate=1130 -/ObjectDelete=1131 -/ObjectReference=1132
      ProcessFreeze -/ProcessFreeze=0324 -/ProcessResume=?
      ! HeapCreate=1020 HeapAlloc/HeapAllocation=1021 HeapRealloc/HeapReallocation=1022
      ! HeapDestroy=1023 HeapFree=1024 HeapRangeCreate=0265 HeapRangeReserve=0266
      ! HeapRangeRelease=0267 HeapRangeDestroy=0268 ThreadPoolCallbackEnqueue=1C20
      ! ThreadPoolCallbackDequeue=1C21 ThreadPoolCallbackStart=1C22 ThreadPoolCallbackStop=1C23
      ! ThreadPoolCallbackCancel=1C24 ThreadPoolCreate=1C25 ThreadPoolClose=1C26
      ! ThreadPoolSetMinThreads=1C27 ThreadPoolSetMaxThreads=1C28
      """;

  /** Not a name, not known. */
  private static final String NO_NAME = "-";

  private static final String NO_HOOK = "?";

  /**
   * Event that WPR has a name for.
   *
   * @param name as WPR's schema spells it
   * @param group name of the group that logs it, as {@link StackEvent} has it; empty if none is
   *     known
   */
  public record WprEvent(String name, String group) {}

  private final Map<String, StackEvent> events = new LinkedHashMap<>();
  private final Map<String, WprEvent> wpr = new LinkedHashMap<>();
  private final Map<String, StackEvent> others = new LinkedHashMap<>();

  /** Reads the table. */
  public StackEvents() {
    for (String line : EVENTS.lines().toList()) {
      String[] words = line.split(" ", -1);
      for (int i = 1; i < words.length; i++) {
        String[] parts = words[i].split("=", -1);
        put(words[0], List.of(parts[0].split("/", -1)), parts[1]);
      }
    }
  }

  private void put(String group, List<String> names, String hook) {
    boolean isOther = group.equals(OTHER);
    String known = isOther || group.equals(NO_NAME) ? "" : group;
    String its = names.getLast();
    if (!its.equals(NO_NAME)) {
      wpr.put(its.toUpperCase(Locale.ROOT), new WprEvent(its, known));
    }
    for (String name : names) {
      String key = name.toUpperCase(Locale.ROOT);
      if (isOther) {
        others.put(key, new StackEvent(name, Integer.parseInt(hook, 16), ""));
      } else if (!name.equals(NO_NAME) && !hook.equals(NO_HOOK)) {
        events.put(key, new StackEvent(name, Integer.parseInt(hook, 16), known));
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

  /** Returns the event that WPR's schema has under a name, in any case. */
  public Optional<WprEvent> wpr(String name) {
    return Optional.ofNullable(wpr.get(name.toUpperCase(Locale.ROOT)));
  }

  /** Returns all events of WPR's schema. */
  public List<WprEvent> wpr() {
    return List.copyOf(wpr.values());
  }

  /** Returns whether the name is of an event that sessions of another kind log. */
  public boolean isOfOtherSessions(String name) {
    return others.containsKey(name.toUpperCase(Locale.ROOT));
  }

  /** Returns the event of a name that sessions of heaps log. */
  public Optional<StackEvent> ofHeaps(String name) {
    return Optional.ofNullable(others.get(name.toUpperCase(Locale.ROOT)))
        .filter(event -> event.hookId() >>> 8 == HEAPS);
  }

  /** Returns the names of all events that sessions of heaps log. */
  public List<String> namesOfHeaps() {
    return others.values().stream()
        .map(StackEvent::name)
        .filter(name -> ofHeaps(name).isPresent())
        .toList();
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
