package io.ntrail.formats.etl.groups;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Groups of kernel events by name: ntrail's own, xperf's, and keywords of WPR's profiles. Names are
 * case-insensitive.
 *
 * <p>Sources: StackWalkFlags.txt of UIforETW for xperf's names, evntrace.h and ntwmi.h for the
 * masks; Microsoft's page of WPR's keywords, of which those are listed that are the same words as a
 * name of xperf or a flag.
 */
public final class KernelGroups {
  /** Without them no event has a process, and no address a module. */
  public static final GroupMask PROCESSES_AND_IMAGES = GroupMask.of(3).and(GroupMask.of(4));

  /** A line: a group's names in xperf and in WPR (- for none, / between two), its constant. */
  private static final String GROUPS =
      """
      PROC_THREAD ProcessThread 3
      LOADER Loader 4
      PROFILE SampledProfile 20000002
      CSWITCH CSwitch 20000004
      COMPACT_CSWITCH CompactCSwitch 20000100
      DISPATCHER ReadyThread 20000200
      DPC DPC 20000080
      INTERRUPT Interrupt 20004000
      INTERRUPT_STEER - 22000000
      WDF_DPC WDFDPC 81000000
      WDF_INTERRUPT WDFInterrupt 82000000
      SYSCALL SystemCall 40000040
      PRIORITY ThreadPriority 20002000
      SPINLOCK SpinLock 20010000
      KQUEUE KernelQueue 21000000
      ALPC Alpc 100000
      PERF_COUNTER ProcessCounter 8
      DISK_IO - 300
      - DiskIO 100
      DISK_IO_INIT DiskIOInit/DiskIOInitialization 400
      FILE_IO FileIO 2000000
      FILE_IO_INIT FileIOInit 4000000
      HARD_FAULTS HardFaults 2000
      FILENAME Filename 200
      SPLIT_IO SplitIO 200000
      REGISTRY Registry 20000
      REG_HIVE RegistryHive 41000000
      DRIVERS Drivers 20000010
      POWER Power 80008000
      CC CC 80020000
      NETWORKTRACE NetworkTrace 10000
      VIRT_ALLOC VirtualAllocation 20008000
      MEMINFO MemoryInfo 20080000
      ALL_FAULTS AllFaults 1000
      MEMINFO_WS MemoryInfoWS 20800000
      VAMAP VAMap 8000
      FOOTPRINT FootPrint 20000008
      MEMORY Memory 20000001
      REFSET ReferenceSet 20000020
      HIBERRUNDOWN - A0000001
      CONTMEMGEN ContiguousMemorygeneration 20100000
      POOL Pool 20000040
      CPU_CONFIG CpuConfig 40010000
      SESSION Session 20400000
      IDLE_STATES IdleStates 40008000
      TIMER Timer 40020000
      CLOCKINT ClockInterrupt 40040000
      IPI InterProcessorInterrupt 40400000
      OPTICAL_IO OpticalIO 80000001
      OPTICAL_IO_INIT OpticalIOInit 80000002
      FLT_IO_INIT FilterIOInit 80080000
      FLT_IO FilterIO 80100000
      FLT_FASTIO FilterFastIO/FilterIOFastIO 80200000
      FLT_IO_FAILURE FilterIOFailure 80400000
      KE_CLOCK KeClock 40100000
      PMC_PROFILE PmcProfile 20000400
      - Handle 80000040
      - Object 80000080
      - ProcessFreeze 40000002
      - AntiStarvation 40000001
      - CacheFlush 84000000
      - DPCQueue 20040000
      - RegistryNotify 42000000
      - SynchronizationObjects 20020000
      - WakeCounter 80002000
      - LoadBalancer 40080000
      - ClusterOff E0000001
      """;

  /** A line: ntrail's name, or xperf's for several groups, and the groups that it stands for. */
  private static final String OWN =
      """
      Base PROC_THREAD LOADER DISK_IO HARD_FAULTS PROFILE MEMINFO MEMINFO_WS
      Diag PROC_THREAD LOADER DISK_IO HARD_FAULTS DPC INTERRUPT CSWITCH PERF_COUNTER COMPACT_CSWITCH
      DiagEasy PROC_THREAD LOADER DISK_IO HARD_FAULTS DPC INTERRUPT CSWITCH PERF_COUNTER
      Latency PROC_THREAD LOADER DISK_IO HARD_FAULTS DPC INTERRUPT CSWITCH PROFILE
      SysProf PROC_THREAD LOADER PROFILE
      cpu PROC_THREAD LOADER PROFILE
      wait PROC_THREAD LOADER CSWITCH DISPATCHER
      disk PROC_THREAD LOADER DISK_IO DISK_IO_INIT
      file PROC_THREAD LOADER FILENAME FILE_IO FILE_IO_INIT
      network PROC_THREAD LOADER NETWORKTRACE
      """;

  /** Names of ntrail that xperf has for a group alone, and what ntrail means by them. */
  private static final Map<String, List<String>> OWN_AND_XPERF =
      Map.of(
          "memory", List.of("PROC_THREAD", "LOADER", "VIRT_ALLOC", "HARD_FAULTS"),
          "registry", List.of("PROC_THREAD", "LOADER", "REGISTRY"),
          "syscall", List.of("PROC_THREAD", "LOADER", "SYSCALL"));

  private static final Pattern NUMBER = Pattern.compile("0[xX][0-9a-fA-F]{1,8}");

  private final Map<String, GroupMask> masks = new LinkedHashMap<>();
  private final Map<String, String> names = new LinkedHashMap<>();

  /** Reads the tables. */
  public KernelGroups() {
    GROUPS
        .lines()
        .map(line -> List.of(line.split(" ", -1)))
        .forEach(words -> {
          GroupMask mask = GroupMask.of(Integer.parseUnsignedInt(words.getLast(), 16));
          for (String name : (words.get(0) + '/' + words.get(1)).split("/", -1)) {
            if (!name.equals("-")) {
              put(name, mask);
            }
          }
        });
    OWN.lines()
        .map(line -> List.of(line.split(" ", -1)))
        .forEach(words -> put(words.getFirst(), masks(words.subList(1, words.size()))));
  }

  private void put(String name, GroupMask mask) {
    masks.put(name.toUpperCase(Locale.ROOT), mask);
    names.putIfAbsent(name.toUpperCase(Locale.ROOT), name);
  }

  private GroupMask masks(List<String> groups) {
    GroupMask mask = GroupMask.NONE;
    for (String group : groups) {
      GroupMask one = masks.get(group);
      if (one == null) {
        throw new IllegalStateException("no group " + group);
      }
      mask = mask.and(one);
    }
    return mask;
  }

  /**
   * Returns the groups of a name. In lower case {@code memory}, {@code registry} and {@code
   * syscall} are ntrail's names, which have processes and images with them, as all of its names
   * have; else they are the group alone, as in xperf. A number is a constant of a mask, as
   * PERFINFO_GROUPMASK's macros have it: the top three bits are the index of the word.
   */
  public Optional<GroupMask> named(String name) {
    List<String> own = OWN_AND_XPERF.get(name);
    if (NUMBER.matcher(name).matches()) {
      return Optional.of(GroupMask.of(Integer.parseUnsignedInt(name.substring(2), 16)));
    }
    return own == null
        ? Optional.ofNullable(masks.get(name.toUpperCase(Locale.ROOT)))
        : Optional.of(masks(own));
  }

  /** Returns all names: the other spelling of one that is in two lists is left out. */
  public List<String> names() {
    return List.copyOf(names.values());
  }

  /**
   * Returns WPR's keyword for a group; empty if it is not known to have one.
   *
   * @param group xperf's name, or WPR's where xperf has none
   */
  public Optional<String> keyword(String group) {
    for (String line : GROUPS.lines().toList()) {
      String[] words = line.split(" ", -1);
      String keyword = words[1].split("/", -1)[0];
      boolean isNamed = words[0].equals("-") ? keyword.equals(group) : words[0].equals(group);
      if (isNamed && !keyword.equals("-")) {
        return Optional.of(keyword);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the groups of a mask in the order of xperf's list: those that are in it as a whole by
   * xperf's names, what remains by WPR's, and then as constants.
   */
  public List<String> namesOf(GroupMask mask) {
    List<String> found = new ArrayList<>();
    GroupMask rest = mask;
    for (int column = 0; column < 2; column++) {
      for (String line : GROUPS.lines().toList()) {
        String[] names = line.split(" ", -1);
        GroupMask group = masks.get(names[column].split("/", -1)[0].toUpperCase(Locale.ROOT));
        boolean isIt = column == 0 || names[0].equals("-");
        // One that WPR alone has may be in those of xperf.
        if (isIt && group != null && (column == 0 ? mask : rest).hasAll(group)) {
          found.add(names[column].split("/", -1)[0]);
          rest = rest.without(group);
        }
      }
    }
    found.addAll(rest.constants());
    return found;
  }
}
