package io.ntrail.cli.shell;

import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.machine.MachineQuestions;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Recordings as the kernel of the played Windows would write them. */
final class PlayedKernel {
  private static final Path DLL = TestData.projectRoot().resolve("samples/shopcore.dll");
  private static final long BASE = 0x7FF8_0000_0000L;

  /** The machine, asked once. */
  private static final class Machine {
    static final RunningWindows ANSWERS =
        MachineQuestions.ask(
            new AgentHost.Wine(Wine.shared().loader(), Wine.shared().environment()));
  }

  private PlayedKernel() {}

  /**
   * Returns what it has logged: an image of this machine that is loaded, and marks, each in a
   * buffer of its own.
   *
   * @param file of the session, which no other one has the same content as
   */
  static void write(Path file, List<String> marks) throws IOException {
    events(String.valueOf(file.getFileName()), marks).writeTo(file);
  }

  private static EtlWriter events(String session, List<String> marks) throws IOException {
    Wine wine = Wine.shared();
    RunningWindows machine = Machine.ANSWERS;
    Path shop = Files.createDirectories(wine.prefix().resolve("drive_c/shop"));
    Files.copy(DLL, shop.resolve("shopcore.dll"), StandardCopyOption.REPLACE_EXISTING);
    byte[] dll = Files.readAllBytes(DLL);
    int pe = (int) LittleEndian.getU32(dll, 0x3C);
    int stamp = (int) LittleEndian.getU32(dll, pe + 8);
    int size = (int) LittleEndian.getU32(dll, pe + 0x50);
    EtlSettings settings =
        EtlSettings.windows11()
            .version(6, 1, machine.build(), 1, 5)
            .perfFreq(machine.ticksPerSecond())
            .bootTime(machine.bootTime())
            .bufferSize(1 << 20)
            .names(session, session);
    String path = "\\Device\\HarddiskVolume1\\shop\\shopcore.dll";
    EtlRecord image =
        EtlRecords.system(8, 0x030A)
            .version(3)
            .time(settings.startTicks() + 1)
            .thread(40, 8)
            .payload(KernelPayloads.image(BASE, size, 40, 0, stamp, path))
            .build();
    EtlRecord process =
        EtlRecords.system(8, 0x0303)
            .version(4)
            .time(settings.startTicks() + 1)
            .thread(40, 8)
            .payload(KernelPayloads.process(40, 4, 1, 0x103, "shop.exe", "shop.exe --fast"))
            .build();
    EtlWriter writer = new EtlWriter(settings).log(0, process).log(0, image).flush();
    long time = settings.startTicks() + 2;
    for (String mark : marks) {
      EtlRecord record =
          EtlRecords.system(8, 0x0F22)
              .time(time++)
              .thread(40, 8)
              .payload(
                  new LittleEndian(64).bytes((mark + '\0').getBytes(StandardCharsets.US_ASCII)))
              .build();
      writer.log(0, record).flush();
    }
    return writer.flush();
  }
}
