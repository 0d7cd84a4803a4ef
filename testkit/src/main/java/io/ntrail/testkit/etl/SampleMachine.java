package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * The invented machine LAB-07 of the sample recording: its images, functions, processes and
 * threads. Nothing here was taken from a real machine.
 */
final class SampleMachine {
  static final int SHOPD = 4312;
  static final int SHOPD_MAIN = 4316;
  static final int DEFENDER = 3188;
  static final int SYSTEM = 4;
  static final int EXPLORER = 2900;
  static final int SHOPCLI = 6120;

  private static final long KERNEL = 0xFFFF_F803_1200_0000L;

  private SampleMachine() {}

  /** An image, with its pdb id where it has one. */
  record Image(String path, long base, long size, int stamp, UUID pdb, int age, String pdbName) {
    boolean kernel() {
      return base < 0;
    }
  }

  /** A process that was there before the recording, or starts in it. */
  record Program(
      int pid, int parent, int session, String image, String commandLine, List<String> images) {}

  /**
   * Repeated behaviour of a thread.
   *
   * @param idle mean pause in microseconds
   * @param run mean time on a CPU in microseconds
   * @param reason wait reason when it pauses
   * @param stacks call stacks while it runs, outermost function first, weight before the colon
   */
  record Actor(
      int pid,
      int tid,
      String name,
      int priority,
      int idle,
      int run,
      int reason,
      List<String> stacks) {}

  private static Image image(
      String path, long base, long size, int stamp, String pdb, int age, String pdbName) {
    return new Image(path, base, size, stamp, UUID.fromString(pdb), age, pdbName);
  }

  static final Map<String, Image> IMAGES = images();

  private static Map<String, Image> images() {
    Map<String, Image> all = new LinkedHashMap<>();
    String system = "\\Device\\HarddiskVolume3\\Windows\\System32\\";
    all.put(
        "nt",
        image(
            "\\SystemRoot\\system32\\ntoskrnl.exe",
            KERNEL,
            0x104_7000,
            0x5A3C_1F20,
            "1eb9facb-04ea-27a0-f7c7-b6c5d4e3f201",
            1,
            "ntkrnlmp.pdb"));
    all.put(
        "Ntfs",
        image(
            "\\SystemRoot\\System32\\drivers\\Ntfs.sys",
            0xFFFF_F803_1560_0000L,
            0x31_B000,
            0x41C2_7B01,
            "0d6f9c3e-5b14-4e0e-9b6d-6a1c52f3a910",
            1,
            "ntfs.pdb"));
    all.put(
        "tcpip",
        image(
            "\\SystemRoot\\System32\\drivers\\tcpip.sys",
            0xFFFF_F803_1680_0000L,
            0x30_D000,
            0x6E02_9A44,
            "8c2d7e55-10bb-4f3f-8f0e-2f7a90c1d634",
            1,
            "tcpip.pdb"));
    all.put(
        "win32kfull",
        image(
            "\\SystemRoot\\System32\\win32kfull.sys",
            0xFFFF_F803_2A00_0000L,
            0x3E_9000,
            0x1D90_4C17,
            "77d3b1c0-a5e9-4f0e-8b6a-5c4d3e2f1009",
            1,
            "win32kfull.pdb"));
    all.put(
        "ntdll",
        image(
            system + "ntdll.dll",
            0x7FFB_3C2D_0000L,
            0x26_5000,
            0x0B7A_D5E3,
            "b4c2f7d1-63aa-4d18-9c51-e0f2a7b86d35",
            1,
            "ntdll.pdb"));
    all.put(
        "kernel32",
        image(
            system + "kernel32.dll",
            0x7FFB_3B40_0000L,
            0xC9000,
            0x5D91_A8F2,
            "e7a90b1d-2c4f-4a63-b8d5-19f3c0e6d742",
            1,
            "kernel32.pdb"));
    all.put(
        "kernelbase",
        image(
            system + "KernelBase.dll",
            0x7FFB_3950_0000L,
            0x3D_4000,
            0x3FC1_6D08,
            "5f0e2d8c-9b7a-4136-a0c4-7e18d3b5f692",
            1,
            "kernelbase.pdb"));
    all.put(
        "ucrtbase",
        image(
            system + "ucrtbase.dll",
            0x7FFB_3980_0000L + 0x40_0000L,
            0x14_B000,
            0x7F2A_33D0,
            "a4c1e2b3-998d-41f5-b0c7-d6e5f4a39281",
            1,
            "ucrtbase.pdb"));
    all.put(
        "shopd",
        image(
            "\\Device\\HarddiskVolume3\\shop\\shopd.exe",
            0x7FF6_D1A4_0000L,
            0x4_2000,
            0x698B_D39C,
            "2a9d1f60-7c3e-4b85-8d21-0fe4c6a7b913",
            2,
            "shopd.pdb"));
    all.put(
        "shopcli",
        image(
            "\\Device\\HarddiskVolume3\\shop\\shopcli.exe",
            0x7FF7_4E3B_0000L,
            0x2_1000,
            0x698B_D39D,
            "6b7f0a42-d815-4c9e-93a6-f21d5e80c7b4",
            2,
            "shopcli.pdb"));
    all.put(
        "shopcore",
        image(
            "\\Device\\HarddiskVolume3\\shop\\shopcore.dll",
            0x7FFB_10A0_0000L,
            0x12_B000,
            0x698B_D3A1,
            "5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708",
            2,
            "C:\\build\\shop\\out\\shopcore.pdb"));
    all.put(
        "mpengine",
        image(
            "\\Device\\HarddiskVolume3\\ProgramData\\Guard\\mpengine.dll",
            0x7FFB_0280_0000L,
            0x131_C000,
            0x2C58_E1B4,
            "c93e5d07-48f1-4a2b-9e6c-d07b1a84f356",
            1,
            "mpengine.pdb"));
    all.put(
        "MsMpEng",
        image(
            "\\Device\\HarddiskVolume3\\ProgramData\\Guard\\MsMpEng.exe",
            0x7FF7_9C10_0000L,
            0x2_6000,
            0x4B86_07CE,
            "31f8c2a6-0e97-4d5b-b4a3-86d9e15f7c20",
            1,
            "MsMpEng.pdb"));
    all.put(
        "explorer",
        image(
            "\\Device\\HarddiskVolume3\\Windows\\explorer.exe",
            0x7FF6_8B70_0000L,
            0x2B_8000,
            0x6377_52FB,
            "f60b9d3c-7a15-48e2-8c7d-5e2a41b0d983",
            1,
            "explorer.pdb"));
    return all;
  }

  /** Offsets of the functions in their images; their length is not known to a recording. */
  private static final Map<String, Integer> FUNCTIONS =
      Map.ofEntries(
          Map.entry("ntdll!RtlUserThreadStart", 0x5AA40),
          Map.entry("ntdll!RtlpLowFragHeapAllocFromContext", 0x2F5B0),
          Map.entry("ntdll!RtlAllocateHeap", 0x2E0C0),
          Map.entry("ntdll!NtReadFile", 0x9F0E0),
          Map.entry("ntdll!NtWaitForSingleObject", 0x9F090),
          Map.entry("kernel32!BaseThreadInitThunk", 0x17370),
          Map.entry("kernelbase!ReadFile", 0x24C40),
          Map.entry("kernelbase!WaitForSingleObjectEx", 0x41BA0),
          Map.entry("ucrtbase!memcpy", 0x11E00),
          Map.entry("shopd!main", 0x1C40),
          Map.entry("shopcli!main", 0x1180),
          Map.entry("shopcore!Worker::Run", 0x10100),
          Map.entry("shopcore!Stock::Match", 0x12040),
          Map.entry("shopcore!Stock::Load", 0x121D0),
          Map.entry("shopcore!Key::Compare", 0x12460),
          Map.entry("shopcore!Json::Parse", 0x1C240),
          Map.entry("mpengine!Scan::Buffer", 0x4A1200),
          Map.entry("mpengine!Hash::Update", 0x51C880),
          Map.entry("MsMpEng!Service::Work", 0x3A10),
          Map.entry("explorer!Tray::Paint", 0x88F40),
          Map.entry("nt!KiSystemServiceCopyEnd", 0x42B3C8),
          Map.entry("nt!NtReadFile", 0x6D5F20),
          Map.entry("nt!NtWaitForSingleObject", 0x6CB1C0),
          Map.entry("nt!KeWaitForSingleObject", 0x2A9B30),
          Map.entry("nt!KiSwapContext", 0x42A6E0),
          Map.entry("nt!KeAcquireSpinLockAtDpcLevel", 0x24E0D0),
          Map.entry("nt!IofCallDriver", 0x27C4A0),
          Map.entry("nt!CcLazyWriteScan", 0x33B2F0),
          Map.entry("nt!PspSystemThreadStartup", 0x35A7C0),
          Map.entry("nt!KiStartSystemThread", 0x42C9E0),
          Map.entry("nt!PoIdle", 0x28D140),
          Map.entry("Ntfs!NtfsFsdRead", 0x8B1C0),
          Map.entry("tcpip!TcpDeliverDataToClient", 0x1A7E0),
          Map.entry("win32kfull!xxxInternalDoPaint", 0x5C330));

  private static final String START = "ntdll!RtlUserThreadStart kernel32!BaseThreadInitThunk ";
  private static final String WORKER = START + "shopcore!Worker::Run ";
  static final String READ =
      "kernelbase!ReadFile ntdll!NtReadFile nt!KiSystemServiceCopyEnd nt!NtReadFile ";
  static final String WAIT =
      "kernelbase!WaitForSingleObjectEx ntdll!NtWaitForSingleObject nt!KiSystemServiceCopyEnd"
          + " nt!NtWaitForSingleObject nt!KeWaitForSingleObject nt!KiSwapContext";

  private static final List<String> WORK =
      List.of(
          "28:" + WORKER + "shopcore!Stock::Match",
          "34:" + WORKER + "shopcore!Stock::Match ucrtbase!memcpy",
          "11:" + WORKER + "shopcore!Stock::Match shopcore!Key::Compare",
          "14:" + WORKER + "shopcore!Json::Parse",
          "22:"
              + WORKER
              + "shopcore!Json::Parse ntdll!RtlAllocateHeap"
              + " ntdll!RtlpLowFragHeapAllocFromContext",
          "9:" + WORKER + "shopcore!Stock::Load " + READ + "Ntfs!NtfsFsdRead",
          "7:"
              + WORKER
              + "shopcore!Stock::Load "
              + READ
              + "nt!IofCallDriver"
              + " nt!KeAcquireSpinLockAtDpcLevel");

  static final List<Program> PROCESSES =
      List.of(
          new Program(SYSTEM, 0, 0, "System", "", List.of()),
          new Program(
              EXPLORER,
              2860,
              1,
              "explorer.exe",
              "C:\\Windows\\explorer.exe",
              List.of("explorer", "ntdll", "kernel32", "kernelbase")),
          new Program(
              DEFENDER,
              812,
              0,
              "MsMpEng.exe",
              "\"C:\\ProgramData\\Guard\\MsMpEng.exe\"",
              List.of("MsMpEng", "ntdll", "kernel32", "kernelbase", "ucrtbase", "mpengine")),
          new Program(
              SHOPD,
              EXPLORER,
              1,
              "shopd.exe",
              "C:\\shop\\shopd.exe --port 8080",
              List.of("shopd", "ntdll", "kernel32", "kernelbase", "ucrtbase", "shopcore")),
          new Program(
              SHOPCLI,
              SHOPD,
              1,
              "shopcli.exe",
              "C:\\shop\\shopcli.exe restock",
              List.of("shopcli", "ntdll", "kernel32", "kernelbase", "ucrtbase", "shopcore")));

  static final List<Actor> THREADS =
      List.of(
          new Actor(
              SHOPD,
              SHOPD_MAIN,
              "main",
              9,
              9000,
              700,
              6,
              List.of(
                  "1:" + START + "shopd!main shopcore!Json::Parse", "1:" + START + "shopd!main")),
          new Actor(SHOPD, 5020, "worker 1", 8, 4200, 5200, 15, WORK),
          new Actor(SHOPD, 5024, "worker 2", 8, 6100, 3900, 15, WORK),
          new Actor(SHOPD, 5028, "worker 3", 8, 14000, 2400, 15, WORK),
          new Actor(
              DEFENDER,
              3240,
              "scan",
              6,
              11000,
              4100,
              6,
              List.of(
                  "3:" + START + "MsMpEng!Service::Work mpengine!Scan::Buffer",
                  "5:"
                      + START
                      + "MsMpEng!Service::Work mpengine!Scan::Buffer mpengine!Hash::Update")),
          new Actor(
              EXPLORER,
              2904,
              "",
              10,
              40000,
              1500,
              13,
              List.of(
                  "1:"
                      + START
                      + "explorer!Tray::Paint nt!KiSystemServiceCopyEnd win32kfull!xxxInternalDoPaint")),
          new Actor(
              SYSTEM,
              212,
              "",
              16,
              50000,
              1800,
              0,
              List.of(
                  "2:nt!KiStartSystemThread nt!PspSystemThreadStartup nt!CcLazyWriteScan",
                  "1:nt!KiStartSystemThread nt!PspSystemThreadStartup"
                      + " tcpip!TcpDeliverDataToClient")),
          new Actor(
              SHOPCLI,
              6124,
              "",
              8,
              5000,
              6000,
              6,
              List.of(
                  "1:" + START + "shopcli!main shopcore!Stock::Load",
                  "2:" + START + "shopcli!main shopcore!Json::Parse")));

  /** The address of {@code image!function} plus {@code offset}. */
  static long address(String function, int offset) {
    Image image =
        Objects.requireNonNull(IMAGES.get(function.substring(0, function.indexOf('!'))), function);
    int rva = Objects.requireNonNull(FUNCTIONS.get(function), function);
    return image.base + rva + offset;
  }

  /** Returns the payload of a process event. */
  static LittleEndian processOf(Program process, int exitStatus) {
    return KernelPayloads.process(
        process.pid(),
        process.parent(),
        process.session(),
        exitStatus,
        process.image(),
        process.commandLine());
  }

  /** Returns the payload of a thread event. */
  static LittleEndian threadOf(Actor thread) {
    String entry =
        thread.pid() == SYSTEM ? "nt!PspSystemThreadStartup" : "ntdll!RtlUserThreadStart";
    return KernelPayloads.thread(
        thread.pid(), thread.tid(), address(entry, 0), thread.priority(), thread.name());
  }

  /** Returns the payload of an image event. */
  static LittleEndian imageOf(Image image, int pid) {
    return KernelPayloads.image(
        image.base(), image.size(), pid, image.stamp() ^ 0x5555, image.stamp(), image.path());
  }

  /** Returns the image of a name. */
  static Image imageNamed(String name) {
    return Objects.requireNonNull(IMAGES.get(name), name);
  }
}
