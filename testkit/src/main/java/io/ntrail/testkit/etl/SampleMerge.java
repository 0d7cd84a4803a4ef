package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;

/** Records that a merger adds to the sample recording, as Windows' own merge tools do. */
final class SampleMerge {
  private final List<EtlRecord> log;
  private final List<EtlRecord> out = new ArrayList<>();

  SampleMerge(List<EtlRecord> log) {
    this.log = log;
  }

  /** Returns the records that a merger adds at the end: identities of images, volumes, schemas. */
  List<EtlRecord> records(long time, long installed) {
    for (SampleMachine.Image image : SampleMachine.IMAGES.values()) {
      int pid = image.kernel() ? 0 : SampleMachine.SHOPD;
      for (SampleMachine.Program process : SampleMachine.PROCESSES) {
        if (SampleMachine.IMAGES.entrySet().stream()
            .anyMatch(e -> e.getValue().equals(image) && process.images().contains(e.getKey()))) {
          imageId(image, process.pid(), imageTime(image, process.pid()));
        }
      }
      if (pid == 0) {
        imageId(image, 0, imageTime(image, 0));
      }
    }
    String[][] volumes = {
      {"\\Device\\HarddiskVolume3\\", "C:\\"},
      {"\\SystemRoot\\", "C:\\Windows\\"},
      {"\\??\\", ""},
      {"\\Device\\Mup\\", "\\\\"}
    };
    for (String[] volume : volumes) {
      config(35, time, KernelPayloads.twoTexts(volume[0], volume[1]));
    }
    config(33, time, KernelPayloads.twoTexts("C:\\Windows\\system32\\", "C:\\Windows\\"));
    LittleEndian build = new LittleEndian().u64(installed);
    build.utf16z("26100.1.amd64fre.ge_release.240331-1435").utf16z("Windows 11 Pro");
    config(32, time, build);
    for (EtlRecords description : SampleEvents.descriptions()) {
      out.add(description.time(time).thread(7000, 7004).build());
    }
    return List.copyOf(out);
  }

  private void config(int opcode, long time, LittleEndian payload) {
    EtlRecords made = EtlRecords.full(8, ClassGuids.SYSTEM_CONFIG_EX).opcode(opcode).time(time);
    out.add(made.thread(7000, 7004).payload(payload).build());
  }

  /** The time of the record that says the image is loaded: mergers use the same. */
  private long imageTime(SampleMachine.Image image, int pid) {
    for (EtlRecord logged : log) {
      boolean loads = logged.id() == 0x1403 || logged.id() == 0x030A;
      if (loads && logged.group() >= 0) {
        byte[] payload = logged.payload();
        if (LittleEndian.getU64(payload, 0) == image.base()
            && LittleEndian.getU32(payload, 16) == pid) {
          return logged.time();
        }
      }
    }
    throw new IllegalStateException(image.path() + " was never loaded into " + pid);
  }

  private void imageId(SampleMachine.Image image, int pid, long time) {
    String file = image.path().substring(image.path().lastIndexOf('\\') + 1);
    LittleEndian info = KernelPayloads.imageInfo(image.base(), image.size(), image.stamp(), file);
    LittleEndian rsds =
        KernelPayloads.rsds(image.base(), pid, image.pdb(), image.age(), image.pdbName());
    EtlRecords first = EtlRecords.full(8, ClassGuids.IMAGE_ID).opcode(0).version(2);
    out.add(first.time(time).thread(pid, 7004).payload(info).build());
    EtlRecords second = EtlRecords.full(8, ClassGuids.IMAGE_ID).opcode(36).version(2);
    out.add(second.time(time).thread(pid, 7004).payload(rsds).build());
  }
}
