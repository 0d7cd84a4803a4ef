package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pieces of Processor Trace in the answer about a recording. */
class TracePiecesTest {
  private static final long T = EtlSettings.windows11().startTicks();

  @TempDir private Path folder;

  private static EtlRecord exit(long time) {
    return EtlRecords.perfInfo(8, 0x0F34).time(time).payload(new LittleEndian().u32(0)).build();
  }

  private static EtlRecord piece(long event, int tid, long options, int position, byte[] trace) {
    return ProcessorTraceEvents.classic()
        .time(event + 2)
        .thread(4000, 4008)
        .payload(
            ProcessorTraceEvents.payload(event, tid < 0 ? -1 : 4000, tid, options, position, trace))
        .build();
  }

  private Path recording() throws IOException {
    byte[] trace = new PtPackets(false).psb().tsc(5).psbEnd().tnt(1, 3).toByteArray();
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    writer.log(2, exit(T + 10));
    writer.log(2, piece(T + 10, 4008, ProcessorTraceEvents.KERNEL_MTC, trace.length, trace));
    writer.log(2, piece(T + 20, -1, ProcessorTraceEvents.KERNEL, 7, new byte[4096]));
    return Recordings.write(folder.resolve("ipt.etl"), writer);
  }

  @Test
  void eachPieceIsListed() throws IOException {
    JsonReader json = Cli.run("info", recording(), "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").findings(json));
    assertEquals(
        JsonReader.parse(
            """
            [{"timeNanos":1200,"cpu":2,"pid":4000,"tid":4008,"bytes":27,"wrapped":false,
              "synchronised":true,"timing":"mtc","eventNanos":1000,"event":"PerfInfo/SysClExit",
              "options":"0x1000311",
              "optionsText":"kernel code, any program, MTC every 8 ticks, ring of 4 KiB"},
             {"timeNanos":2200,"cpu":2,"pid":null,"tid":null,"bytes":4096,"wrapped":true,
              "synchronised":false,"timing":"none","eventNanos":2000,"event":null,
              "options":"0x1000001",
              "optionsText":"kernel code, any program, no timing, ring of 4 KiB"}]\
            """),
        json.get("pieces"));
    assertEquals(0, json.get("piecesLeftOut").number());
  }

  @Test
  void theTextCountsThemAndWhatIsMissing() throws IOException {
    String text = Cli.run("info", recording()).out();
    assertTrue(
        text.contains(
            "  pt         2 pieces of Processor Trace, 4 KiB, 1 wrapped,"
                + " 1 not synchronised (without PSB), 1 without timing,"
                + " 1 without the event before it\n"),
        text);
  }

  @Test
  void recordingsWithoutPiecesSayNothingOfThem() throws IOException {
    Path file = Recordings.write(folder.resolve("sample.etl"), SampleRecording.make());
    assertFalse(Cli.run("info", file).out().contains("Processor Trace"));
    assertFalse(Cli.run("info", file, "--format", "json").out().contains("pieces"));
  }
}
