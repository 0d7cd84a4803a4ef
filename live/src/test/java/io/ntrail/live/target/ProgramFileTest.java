package io.ntrail.live.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machine types of programs, by the headers of their files. */
class ProgramFileTest {
  @TempDir Path folder;

  private Path file(byte[] content) throws IOException {
    return Files.write(folder.resolve("it.exe"), content);
  }

  private static byte[] program(int machine) {
    PeBuilder builder = PeBuilder.program(machine);
    builder.code().label("main").bytes(new byte[] {(byte) 0xC3});
    return builder.entry("main").build().file();
  }

  /** An MZ header that names another one, and the two letters that are there. */
  private static byte[] old(int header, String signature) {
    return new BytesBuilder(0x200)
        .bytes("MZ".getBytes(StandardCharsets.US_ASCII))
        .zeros(0x7E)
        .bytes(signature.getBytes(StandardCharsets.US_ASCII))
        .zeros(0x17E)
        .setU32(0x3C, header)
        .toArray();
  }

  private void refused(byte[] content, String kind) throws IOException {
    Path file = file(content);
    CannotGoOn refused = assertThrows(CannotGoOn.class, () -> ProgramFile.machine(file));
    assertEquals("it.exe is a program for " + kind, refused.message());
    assertTrue(refused.nextStep().contains("64-bit and 32-bit"), refused.nextStep());
  }

  @Test
  void programsSayTheirMachineType() throws IOException {
    for (int machine : new int[] {MachineType.AMD64, MachineType.I386}) {
      assertEquals(OptionalInt.of(machine), ProgramFile.machine(file(program(machine))));
    }
  }

  @Test
  void programsOf16BitsAreRefusedByName() throws IOException {
    refused(old(0x80, "NE"), "16-bit Windows");
    refused(old(0, ".."), "MS-DOS");
    refused(old(0x200, ".."), "MS-DOS");
  }

  @Test
  void otherFilesAreLeftToTheSystem() throws IOException {
    assertEquals(OptionalInt.empty(), ProgramFile.machine(file(new byte[100])));
    assertEquals(OptionalInt.empty(), ProgramFile.machine(file(old(0x80, "ZM"))));
    assertEquals(OptionalInt.empty(), ProgramFile.machine(folder.resolve("nothing.exe")));
  }

  @Test
  void managedProgramsMayRunOtherwiseThanTheySay() throws IOException {
    byte[] content = program(MachineType.I386);
    // The 15th directory, behind 96 bytes of the optional header.
    int at = (content[0x3C] & 0xFF) + ((content[0x3D] & 0xFF) << 8) + 24 + 96 + 8 * 14;
    content[at + 1] = 0x20;
    assertEquals(OptionalInt.empty(), ProgramFile.machine(file(content)));
  }
}
