package io.ntrail.cli.harness;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** Makes a recording in which the program of samples/shopd.pdb is sampled. */
public final class SampledProgram {
  /** Address of the program. */
  public static final long BASE = 0x7FF6_1000_0000L;

  /** A library that exports names, and whose PDB is not recorded. */
  public static final long LIBRARY = 0x7FF6_2000_0000L;

  /** A library of Windows, of which nothing but its path is known. */
  public static final long SYSTEM = 0x7FFA_2000_0000L;

  /** A driver of Windows. */
  public static final long DRIVER = 0xFFFF_F803_1200_0000L;

  static final int PROCESS = 4312;

  private static final int THREAD = 4316;
  private static final long SIZE = 0x5000;
  private static final long LARGE = 0x10_0000;

  private final EtlSettings settings = EtlSettings.windows11();
  private final EtlWriter writer = new EtlWriter(settings);
  private long time = settings.startTicks();

  public SampledProgram() {
    system(0x0303, 4, ProfilePayloads.process(8, PROCESS, 4, "shopd.exe"));
    system(0x0503, 3, ProfilePayloads.thread(8, PROCESS, THREAD));
    system(0x0F49, 3, KernelPayloads.interval(0, 10_000, "Timer"));
    image(BASE, SIZE, PROCESS, "\\Device\\HarddiskVolume3\\shop\\shopd.exe");
    system(0x1403, 3, library());
    image(SYSTEM, LARGE, PROCESS, "\\Device\\HarddiskVolume3\\Windows\\System32\\ntdll.dll");
    image(DRIVER, LARGE, 0, "\\SystemRoot\\system32\\ntoskrnl.exe");
    EtlRecords id = EtlRecords.full(8, ClassGuids.IMAGE_ID).opcode(36).version(2);
    UUID pdb = UUID.fromString("1c4fc38a-0337-26b4-4c4c-44205044422e");
    writer.log(
        0,
        id.time(++time)
            .thread(PROCESS, THREAD)
            .payload(KernelPayloads.rsds(BASE, PROCESS, pdb, 1, "shopd.pdb"))
            .build());
  }

  private void system(int hook, int version, LittleEndian payload) {
    writer.log(
        0,
        EtlRecords.system(8, hook)
            .version(version)
            .time(++time)
            .thread(PROCESS, THREAD)
            .payload(payload)
            .build());
  }

  /** The library of samples/shopcore.dll, with its build id. */
  private static LittleEndian library() {
    LittleEndian out = new LittleEndian().u64(LIBRARY).u64(0x7000).u32(PROCESS).u32(0);
    out.u32(0x698B_C680).u32(0).u64(LIBRARY).u64(0).u64(0);
    return out.utf16z("\\Device\\HarddiskVolume3\\shop\\shopcore.dll");
  }

  private void image(long base, long size, int process, String path) {
    system(0x1403, 3, ProfilePayloads.image(8, base, size, process, path));
  }

  /** A sample, of whose stack the first frame is where the thread was. */
  public SampledProgram sample(long... frames) {
    time += 10_000;
    writer.log(
        0,
        EtlRecords.perfInfo(8, 0x0F2E)
            .version(2)
            .time(time)
            .payload(ProfilePayloads.sample(8, frames[0], THREAD, 1, 0))
            .build());
    writer.log(
        0,
        EtlRecords.perfInfo(8, 0x1820)
            .version(2)
            .time(time)
            .payload(ProfilePayloads.stack(8, time, PROCESS, THREAD, frames))
            .build());
    return this;
  }

  /** A method that was compiled at an address while the program ran. */
  public SampledProgram method(long start, int size, long module, String type, String name) {
    return runtime(143, ProfilePayloads.method(start, size, module, type, name));
  }

  /** Adds a method of a later runtime, which records how often it was recompiled. */
  public SampledProgram recompiled(long start, int size, long count, String type, String name) {
    return runtime(143, 2, ProfilePayloads.method(start, size, 7, type, name).u64(count));
  }

  public SampledProgram unloaded(long start, int size, String type, String name) {
    return runtime(144, ProfilePayloads.method(start, size, 7, type, name));
  }

  /** Adds the module of methods. */
  public SampledProgram module(long id, String path) {
    return runtime(152, ProfilePayloads.module(id, path));
  }

  private SampledProgram runtime(int id, LittleEndian payload) {
    return runtime(id, 1, payload);
  }

  private SampledProgram runtime(int id, int version, LittleEndian payload) {
    writer.log(
        0,
        EtlRecords.event(8, ProfilePayloads.CLR, id)
            .version(version)
            .time(++time)
            .thread(PROCESS, THREAD)
            .payload(payload)
            .build());
    return this;
  }

  public Path write(Path folder) throws IOException {
    return Recordings.write(folder.resolve("sampled.etl"), writer);
  }
}
