package io.ntrail.cli.probe;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * Recordings of which every event is known.
 *
 * @param folder they are written into
 */
record ProbeTruthRecordings(Path folder) {
  private Path written(EtlWriter writer) throws IOException {
    Path file = folder.resolve("made.etl");
    Files.write(file, writer.toByteArray());
    return file;
  }

  /** Two processors: app.exe (100) has the threads 101 and 102, svc.exe (200) 201 and 202. */
  Path switches() throws IOException {
    RecordingBuilder made =
        new RecordingBuilder(EtlSettings.windows11().processors(2), 8).world().as(-1, -1);
    made.at(1000).on(0).swap(0, RecordingBuilder.READY, 101);
    made.at(1500).on(1).swap(0, RecordingBuilder.READY, 201);
    made.at(3000).on(0).swap(101, RecordingBuilder.WAITING, 0);
    made.at(3500).on(1).as(200, 201).ready(101).as(-1, -1);
    made.at(3600).on(0).swap(0, RecordingBuilder.READY, 101);
    made.at(4000).on(1).swap(201, RecordingBuilder.READY, 202);
    made.at(4600).on(0).swap(101, RecordingBuilder.WAITING, 102);
    made.at(5000).on(1).swap(202, RecordingBuilder.WAITING, 0);
    made.at(6600).on(0).swap(102, RecordingBuilder.TERMINATED, 0);
    return written(made.writer());
  }

  /** Samples of two processes that have images at the same address. */
  Path places() throws IOException {
    RecordingBuilder made = new RecordingBuilder().world().on(0).as(-1, -1);
    made.at(100).sample(RecordingBuilder.APP + 0x1000, 101);
    made.at(200).sample(RecordingBuilder.KERNEL + 0x10, 101);
    made.at(300).sample(RecordingBuilder.APP + 0x1000, 201);
    made.at(400).sample(RecordingBuilder.KERNEL + 0x10, 201);
    made.at(500).sample(0x1234, 201);
    return written(made.writer());
  }

  /** Payloads of real events of threads and disks, by their opcodes, a microsecond apart. */
  Path vectors(List<Integer> opcodes) throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    long time = settings.startTicks();
    for (String line : Files.readAllLines(TestData.file("etl/kernel-payload-vectors.jsonl"))) {
      String event = text(line, "event");
      int group = event.equals("Thread") ? 0x0500 : event.equals("DiskIO") ? 0x0100 : 0;
      int opcode = Integer.parseInt(text(line, "opcode"));
      if (group != 0 && opcodes.contains(opcode) && text(line, "pointerBits").equals("64")) {
        int version = Integer.parseInt(text(line, "version"));
        byte[] payload = HexFormat.of().parseHex(text(line, "payloadHex"));
        if (group == 0x0500 || version == 3) {
          EtlRecords record = EtlRecords.perfInfo(8, group + opcode).version(version);
          writer.log(0, record.time(time += 10).payload(payload).build());
        }
      }
    }
    return written(writer);
  }

  /** Returns the first value of a name in a line of JSON. */
  private static String text(String line, String name) {
    String behind = line.substring(line.indexOf('"' + name + "\": ") + name.length() + 4);
    return behind.split("[,}]", 2)[0].replace("\"", "").strip();
  }

  /** Calls of a.exe (8), thread 12, into ntdll.dll; a tick is a microsecond. */
  Path calls() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.process(TracedProcess.running(1, 8, 0, "a.exe", ""));
      writer.thread(TracedThread.running(1, 1, 12, 0, ""));
      ImageId image = new ImageId(1, 0x1_0000);
      writer.module(new TracedModule(1, 1, 0x40_0000, image, 0, 0, "C:\\a.exe", null, ""));
      writer.module(
          new TracedModule(2, 1, 0x7FF8_0000_0000L, image, 0, 0, "C:\\ntdll.dll", null, ""));
      List<String> names = List.of("work", "NtReadFile", "NtClose", "RtlFree");
      for (String name : names) {
        int number = 1 + names.indexOf(name);
        writer.function(
            new TracedFunction(number, number == 1 ? 1 : 2, 0x1000L * number, name, List.of()));
      }
      ThreadEventWriter events = writer.events(1);
      events.entry(1000, 1, 0, 0, 0x9000, 0, new long[] {3}, 1);
      events.entry(1100, 2, 0, 1, 0x8000, 0, new long[] {0x44}, 1);
      events.exit(1350, 2, 0, 1, 0x8000, 0);
      events.entry(1400, 2, 0, 1, 0x8000, 0, new long[] {0x48}, 1);
      events.exit(1900, 2, 0, 1, 0x8000, 0xC0000011L);
      events.entry(1910, 4, 0, 1, 0x8000, 0, new long[] {0x10}, 1);
      events.exit(1920, 4, 0, 1, 0x8000, 1);
      events.entry(1950, 3, 0, 1, 0x8000, 0, new long[] {0x44}, 1);
      events.exit(1960, 3, 0, 1, 0x8000, 0);
      events.exit(2000, 1, 0, 0, 0x9000, 7);
    }
    return Files.write(folder.resolve("made.ntr"), out.toByteArray());
  }
}
