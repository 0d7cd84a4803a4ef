package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;

/** What a merger adds to the sample recording, as Windows' own merge tools do. */
final class SampleMerge {
  private final List<EtlRecord> log;
  private final List<EtlRecord> out = new ArrayList<>();

  SampleMerge(List<EtlRecord> log) {
    this.log = log;
  }

  /** What a merger adds at the end: identities of images, volumes, schemas. */
  List<EtlRecord> records(long time, long installed) {
    for (SampleWorld.Image image : SampleWorld.IMAGES.values()) {
      int pid = image.kernel() ? 0 : SampleWorld.SHOPD;
      for (SampleWorld.Program process : SampleWorld.PROCESSES) {
        if (SampleWorld.IMAGES.entrySet().stream()
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
    out.add(
        EtlRecords.full(8, ClassGuids.EVENT_METADATA)
            .opcode(32)
            .time(time)
            .thread(7000, 7004)
            .payload(dnsSchema())
            .build());
    return List.copyOf(out);
  }

  private void config(int opcode, long time, LittleEndian payload) {
    EtlRecords made = EtlRecords.full(8, ClassGuids.SYSTEM_CONFIG_EX).opcode(opcode).time(time);
    out.add(made.thread(7000, 7004).payload(payload).build());
  }

  /** The time of the record that says the image is loaded: mergers use the same. */
  private long imageTime(SampleWorld.Image image, int pid) {
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

  private void imageId(SampleWorld.Image image, int pid, long time) {
    String file = image.path().substring(image.path().lastIndexOf('\\') + 1);
    LittleEndian info = KernelPayloads.imageInfo(image.base(), image.size(), image.stamp(), file);
    LittleEndian rsds =
        KernelPayloads.rsds(image.base(), pid, image.pdb(), image.age(), image.pdbName());
    EtlRecords first = EtlRecords.full(8, ClassGuids.IMAGE_ID).opcode(0).version(2);
    out.add(first.time(time).thread(pid, 7004).payload(info).build());
    EtlRecords second = EtlRecords.full(8, ClassGuids.IMAGE_ID).opcode(36).version(2);
    out.add(second.time(time).thread(pid, 7004).payload(rsds).build());
  }

  /** TRACE_EVENT_INFO of the look-up event: three fields and a message. */
  private static LittleEndian dnsSchema() {
    String[] names = {"QueryName", "QueryType", "QueryOptions"};
    int[] in = {1, 8, 10};
    int[] lengths = {0, 4, 8};
    LittleEndian strings = new LittleEndian();
    int base = 112 + 24 * names.length;
    int provider = base + strings.size();
    strings.utf16z("Microsoft-Windows-DNS-Client");
    int level = base + strings.size();
    strings.utf16z("Information ");
    int message = base + strings.size();
    strings.utf16z("DNS query is called for the name %1, type %2, query options %3");
    LittleEndian properties = new LittleEndian();
    for (int i = 0; i < names.length; i++) {
      properties.u32(0).u32((long) base + strings.size()).u16(in[i]).u16(0).u32(0);
      properties.u16(1).u16(lengths[i]).u32(0);
      strings.utf16z(names[i]);
    }
    LittleEndian out = new LittleEndian().guid(SampleRecording.DNS_CLIENT).zeros(16);
    out.u16(3006).u8(0).u8(16).u8(4).u8(0).u16(0).u64(0x8000_0000_0000_0000L).u32(0);
    out.u32(provider).u32(level).u32(0).u32(0).u32(0).u32(0).u32(message).zeros(20);
    out.u32(names.length).u32(names.length).u32(1);
    return out.bytes(properties.toByteArray()).bytes(strings.toByteArray());
  }
}
