package io.ntrail.analysis.etw.events;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.baseline.ClrBaseline;
import io.ntrail.testkit.baseline.DecodedValue;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** PerfView's names of our types of events, and the events that it hides. */
final class PerfViewNames {
  /** Our name of a kernel event or of what a merge added, and PerfView's. */
  private static final String TABLE =
      """
      EventTrace/Header = Windows Kernel/EventTrace
      EventTrace/RDComplete = Windows Kernel/EventTrace/RundownComplete
      PageFault/HardFault = Windows Kernel/Memory/HardFault
      PerfInfo/SampleProf = Windows Kernel/PerfInfo/Sample
      Process/End = Windows Kernel/Process/Stop
      Process/DCEnd = Windows Kernel/Process/DCStop
      Thread/End = Windows Kernel/Thread/Stop
      Thread/DCEnd = Windows Kernel/Thread/DCStop
      Image/UnLoad = Windows Kernel/Image/Unload
      Image/DCEnd = Windows Kernel/Image/DCStop
      Image/KernelBase = MSNT_SystemTrace/Image/KernelBase
      SystemConfig/Platform = MSNT_SystemTrace/SystemConfig/Platform
      UdpIp/SendIPV4 = Windows Kernel/UdpIp/Send
      UdpIp/RecvIPV4 = Windows Kernel/UdpIp/Recv
      SystemConfigEx/BuildInfo = Windows Kernel/SysConfig/BuildInfo
      SystemConfigEx/SystemPaths = Windows Kernel/SysConfig/SystemPaths
      SystemConfigEx/UnknownVolume = Windows Kernel/SysConfig/UnknownVolume
      SystemConfigEx/VolumeMapping = Windows Kernel/SysConfig/VolumeMapping
      SystemConfigEx/DeviceFamily = Windows Kernel/SysConfig/Opcode(37)
      EventMetadata/EventInfo = KernelTraceControl/MetaData/EventInfo
      EventMetadata/EventMapInfo = KernelTraceControl/MetaData/EventMapInfo
      ImageID/Info = KernelTraceControl/ImageID
      """;

  /** Kinds that PerfView uses for itself, or does not know and drops. */
  private static final Set<String> CONSUMED =
      Set.of(
          "Windows Kernel/StackWalk/Stack",
          "Windows Kernel/StackWalk/StackKeyKernel",
          "Windows Kernel/StackWalk/StackKeyUser",
          "Windows Kernel/StackWalk/KeyDelete",
          "Windows Kernel/StackWalk/KeyRundown",
          "Windows Kernel/FileIo/FileCreate",
          "Windows Kernel/FileIo/FileDelete",
          "Windows Kernel/FileIo/FileRundown",
          "Windows Kernel/Thread/DCStart",
          "Windows Kernel/Thread/DCStop",
          "Windows Kernel/EventTrace/PartitionInfoExtension",
          "Windows Kernel/Image/HypercallPage",
          "Windows Kernel/SystemConfig/DPI",
          "Windows Kernel/SystemConfig/OpticalDisk");

  private static final int IN_DPC_OR_ISR = 3;

  private static final Map<String, String> NAMES = new HashMap<>();

  static {
    TABLE
        .lines()
        .forEach(line -> {
          int equals = line.indexOf(" = ");
          NAMES.put(line.substring(0, equals), line.substring(equals + 3));
        });
  }

  private PerfViewNames() {}

  /** {@code Provider/Task/Opcode} as PerfView prints it. */
  static String of(EventType type) {
    String event = type.event();
    if (event == null) {
      return type.provider() + "/EventID(" + type.id() + ")";
    }
    String name = NAMES.get(event);
    return name == null ? type.provider() + "/" + event.replace("DiskIo/", "DiskIO/") : name;
  }

  /** Returns true if PerfView counts an event. */
  static boolean isCounted(String name, EventReader event) {
    if (name.equals("Windows Kernel/PerfInfo/Sample")) {
      // Samples of the idle thread outside of DPCs and ISRs are dropped.
      Map<String, DecodedValue> fields = DecodedEvent.fields(event);
      return !(fields.get("ThreadId") instanceof DecodedValue.Whole thread
          && thread.value() == 0
          && fields.get("Flags") instanceof DecodedValue.Whole flags
          && (flags.value() & IN_DPC_OR_ISR) == 0);
    }
    return name.startsWith(ClrBaseline.PROVIDERS)
        ? ClrBaseline.isCounted(name, () -> DecodedEvent.fields(event))
        : !CONSUMED.contains(name);
  }

  /** Returns the process of an event as PerfView prints it: the name of its image. */
  static String processName(EventReader event) {
    int id = event.processId();
    if (id == RecordCursor.NO_ID) {
      return "";
    }
    String image = event.process();
    return image == null
        ? "Process(" + id + ")"
        : image.endsWith(".exe") ? image.substring(0, image.length() - 4) : image;
  }
}
