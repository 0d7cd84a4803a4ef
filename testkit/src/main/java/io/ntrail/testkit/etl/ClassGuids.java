package io.ntrail.testkit.etl;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The class GUID after the group byte of a kernel hook id.
 *
 * <p>Source: dissect.etl's manifests, phnt ntwmi.h.
 */
public final class ClassGuids {
  /** EventTraceEvent, group 00. */
  public static final UUID EVENT_TRACE = UUID.fromString("68fdd900-4a3e-11d1-84f4-0000f80464e3");

  /** Image, group 14, and the image load of group 03. */
  public static final UUID IMAGE = UUID.fromString("2cb15d1d-5fc1-11d2-abe1-00a0c911f518");

  /** ImageID, written by mergers. */
  public static final UUID IMAGE_ID = UUID.fromString("b3e675d7-2554-4f18-830b-2762732560de");

  /** SystemConfigEx, written by mergers. */
  public static final UUID SYSTEM_CONFIG_EX =
      UUID.fromString("9b79ee91-b5fd-41c0-a243-4248e266e9d0");

  /** EventMetadata, written by mergers. */
  public static final UUID EVENT_METADATA = UUID.fromString("bbccf6c1-6cd1-48c4-80ff-839482e37671");

  private static final String[] GROUPS = {
    "68fdd900-4a3e-11d1-84f4-0000f80464e3", // 00 EventTraceEvent
    "3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c", // 01 DiskIo
    "3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c", // 02 PageFault
    "3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c", // 03 Process
    "90cbdc39-4a3e-11d1-84f4-0000f80464e3", // 04 FileIo
    "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c", // 05 Thread
    "9a280ac0-c8e0-11d1-84e2-00c04fb998a2", // 06 TcpIp
    "3282fc76-feed-498e-8aa7-e70f459d430e", // 07 Job
    "bf3a50c5-a9c9-4988-a005-2df0b7c80f80", // 08 UdpIp
    "ae53722e-c863-11d2-8659-00c04fa321a1", // 09 Registry
    "13976d09-a327-438c-950b-7f03192815c7", // 0A DbgPrint
    "01853a65-418f-4f36-aefc-dc0f1d2fd235", // 0B EventTraceConfig
    "99134383-5248-43fc-834b-529454e75df3", // 0C LastBranch
    "42695762-ea50-497a-9068-5cbbb35e0b95", // 0D WNF
    "0268a8b6-74fd-4302-9dd0-6e8f1795c0cf", // 0E Pool
    "ce1dbfb4-137e-4da6-87b0-3f59aa102cbc", // 0F PerfInfo
    "222962ab-6180-4b88-a825-346b75f2a24a", // 10 Heap
    "89497f50-effe-4440-8cf2-ce6b1cdcaca7", // 11 Object
    "e43445e0-0903-48c3-b878-ff0fccebdd04", // 12 Power
    "a9152f00-3f58-4bee-92a1-70c7d079d5dd", // 13 ModBound
    "2cb15d1d-5fc1-11d2-abe1-00a0c911f518", // 14 Image
    "b2d14872-7c5b-463d-8419-ee9bf7d23e04", // 15 Dpc
    "7687a439-f752-45b8-b741-321aec0f8df9", // 16 Cc
    "3ac66736-cc59-4cff-8115-8df50e39816b", // 17 CritSec
    "def2fe46-7bd6-4b80-bd94-f57fe20d0ce3", // 18 StackWalk
    "9aec974b-5b8e-4118-9b92-3186d8002ce5", // 19 UMS
    "45d8cccd-539f-4b72-a8b7-5c683142609a", // 1A ALPC
    "d837ca92-12b9-44a5-ad6a-3a65b3578aa8", // 1B SplitIo
    "c861d0e2-a2c1-4d36-9f9c-970bab943a12", // 1C ThreadPool
    "7f2a405c-69b5-4bf9-a1f5-30e8f1afab5e", // 1D Hypervisor
    "2ce9a149-effe-42f0-a635-a1d39e26c8f2", // 1E HypervisorX
  };

  private ClassGuids() {}

  /**
   * The class of a hook id, or null for a group without a known one.
   *
   * @param hook group * 256 + type
   */
  public static @Nullable UUID ofHook(int hook) {
    if (hook == 0x030A) {
      return IMAGE;
    }
    int group = (hook >> 8) & 0xFF;
    return group < GROUPS.length ? UUID.fromString(GROUPS[group]) : null;
  }
}
