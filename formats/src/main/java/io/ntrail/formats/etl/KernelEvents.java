package io.ntrail.formats.etl;

import io.ntrail.formats.identity.Guid;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Event classes of the kernel logger by group of hook ids. A hook id is group * 256 + type; the
 * same events also come as records with the class GUID.
 *
 * <p>Groups and class GUIDs are those of ntwmi.h and evntrace.h. Immutable.
 */
public final class KernelEvents {
  private record EventClass(Guid classGuid, String task) {}

  private final @Nullable EventClass[] groups = new EventClass[256];
  private final Map<Guid, Integer> groupsByClass = new HashMap<>();

  /** Reads the tables. */
  public KernelEvents() {
    // @formatter:off
    group(0x00, "68fdd900-4a3e-11d1-84f4-0000f80464e3", "EventTrace");
    group(0x01, "3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c", "DiskIo");
    group(0x02, "3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c", "PageFault");
    group(0x03, "3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c", "Process");
    group(0x04, "90cbdc39-4a3e-11d1-84f4-0000f80464e3", "FileIo");
    group(0x05, "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c", "Thread");
    group(0x06, "9a280ac0-c8e0-11d1-84e2-00c04fb998a2", "TcpIp");
    group(0x07, "3282fc76-feed-498e-8aa7-e70f459d430e", "Job");
    group(0x08, "bf3a50c5-a9c9-4988-a005-2df0b7c80f80", "UdpIp");
    group(0x09, "ae53722e-c863-11d2-8659-00c04fa321a1", "Registry");
    group(0x0A, "13976d09-a327-438c-950b-7f03192815c7", "DbgPrint");
    group(0x0B, "01853a65-418f-4f36-aefc-dc0f1d2fd235", "SystemConfig");
    group(0x0C, "99134383-5248-43fc-834b-529454e75df3", "LastBranch");
    group(0x0D, "42695762-ea50-497a-9068-5cbbb35e0b95", "WNF");
    group(0x0E, "0268a8b6-74fd-4302-9dd0-6e8f1795c0cf", "Pool");
    group(0x0F, "ce1dbfb4-137e-4da6-87b0-3f59aa102cbc", "PerfInfo");
    group(0x10, "222962ab-6180-4b88-a825-346b75f2a24a", "Heap");
    group(0x11, "89497f50-effe-4440-8cf2-ce6b1cdcaca7", "Object");
    group(0x12, "e43445e0-0903-48c3-b878-ff0fccebdd04", "Power");
    group(0x13, "a9152f00-3f58-4bee-92a1-70c7d079d5dd", "ModBound");
    group(0x14, "2cb15d1d-5fc1-11d2-abe1-00a0c911f518", "Image");
    group(0x15, "b2d14872-7c5b-463d-8419-ee9bf7d23e04", "Dpc");
    group(0x16, "7687a439-f752-45b8-b741-321aec0f8df9", "Cc");
    group(0x17, "3ac66736-cc59-4cff-8115-8df50e39816b", "CritSec");
    group(0x18, "def2fe46-7bd6-4b80-bd94-f57fe20d0ce3", "StackWalk");
    group(0x19, "9aec974b-5b8e-4118-9b92-3186d8002ce5", "UMS");
    group(0x1A, "45d8cccd-539f-4b72-a8b7-5c683142609a", "ALPC");
    group(0x1B, "d837ca92-12b9-44a5-ad6a-3a65b3578aa8", "SplitIo");
    group(0x1C, "c861d0e2-a2c1-4d36-9f9c-970bab943a12", "ThreadPool");
    group(0x1D, "7f2a405c-69b5-4bf9-a1f5-30e8f1afab5e", "Hypervisor");
    group(0x1E, "2ce9a149-effe-42f0-a635-a1d39e26c8f2", "HypervisorX");
    // @formatter:on
  }

  private void group(int number, String classGuid, String task) {
    Guid guid = Guid.parse(classGuid);
    groups[number] = new EventClass(guid, task);
    groupsByClass.put(guid, number);
  }

  /** Returns the class GUID of a hook id; zero if its group is unknown. */
  public Guid classGuid(int hookId) {
    EventClass group =
        groups[
            hookId == KernelEvent.IMAGE_LOAD ? KernelEvent.Group.IMAGE : KernelEvent.group(hookId)];
    return group == null ? Guid.ZERO : group.classGuid;
  }

  /**
   * Returns the hook id of a class event.
   *
   * @return -1 if the class is none of the kernel logger's
   */
  public int hookId(Guid classGuid, int opcode) {
    Integer group = groupsByClass.get(classGuid);
    if (group == null) {
      return -1;
    }
    if (group == KernelEvent.Group.IMAGE && opcode == KernelEvent.type(KernelEvent.IMAGE_LOAD)) {
      return KernelEvent.IMAGE_LOAD;
    }
    return KernelEvent.hookId(group, opcode);
  }

  /** Returns the name of the class of a hook id; {@code Group N} if it is unknown. */
  public String task(int hookId) {
    EventClass group =
        groups[
            hookId == KernelEvent.IMAGE_LOAD ? KernelEvent.Group.IMAGE : KernelEvent.group(hookId)];
    return group == null ? "Group " + Integer.toHexString(KernelEvent.group(hookId)) : group.task;
  }
}
