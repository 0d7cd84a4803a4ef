package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.breakpad.BreakpadSymbols;
import io.ntrail.testkit.dump.ReferenceMinidump;
import io.ntrail.testkit.pdb.PdbSamples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A dump of x86, with what is known of its modules, and walks of its threads. */
final class DumpWalks {
  private final ReferenceMinidump dump;
  private final Map<String, PeImage> images = new HashMap<>();
  private final Map<String, FrameDataTable> tables = new HashMap<>();

  private DumpWalks(ReferenceMinidump dump) {
    this.dump = dump;
  }

  /**
   * A shared dump, for example {@code breakpad/minidump2.dmp}, of whose modules nothing is known.
   */
  static DumpWalks of(String name) throws IOException {
    return new DumpWalks(ReferenceMinidump.shared(name));
  }

  /** A shared text, unpacked. */
  static String text(String name) throws IOException {
    return new String(
        TestData.unpacked(TestData.file("dumps/" + name + ".gz")), StandardCharsets.UTF_8);
  }

  /** Adds the symbol file of a module. */
  DumpWalks symbols(String module, String name) throws IOException {
    tables.put(module, new SymFrameData(BreakpadSymbols.of(text(name))));
    return this;
  }

  /** Adds image and PDB of a module, which lie in {@code pdb}. */
  DumpWalks pdb(String module, String imageName, String pdbName) {
    PeImage image = PeImage.ofFile(InputFile.of(PdbSamples.bytes(imageName), imageName));
    PdbFile pdb = PdbFile.open(InputFile.of(PdbSamples.bytes(pdbName), pdbName));
    images.put(module, image);
    tables.put(module, new PdbFrameData(Optional.of(pdb), Optional.of(image)));
    return this;
  }

  ReferenceMinidump dump() {
    return dump;
  }

  /** Walks a thread, by its number; from the registers of the exception if it is the one. */
  StackWalk walk(long id) {
    ReferenceMinidump.Thread thread =
        dump.threads().stream().filter(t -> t.id() == id).findFirst().orElseThrow();
    Map<String, Long> registers =
        dump.exception()
            .filter(fault -> fault.thread() == id)
            .map(ReferenceMinidump.Fault::registers)
            .orElse(thread.registers());
    DumpSpace space = new DumpSpace(dump, images);
    X86Walker walker =
        new X86Walker(
            space, space, module -> tables.getOrDefault(module.name(), FrameDataTable.NONE));
    StackWalk walk = walker.walk(DumpSpace.registers(registers), DumpSpace.limits(thread));
    if (!walker.problems().isEmpty()) {
      throw new AssertionError(walker.problems());
    }
    return walk;
  }

  /** Returns a frame as a line: how it was found, and its instruction pointer. */
  static String line(StackFrame frame) {
    return "%s %08x".formatted(frame.trust().word(), frame.ip());
  }

  static List<String> lines(StackWalk walk) {
    return walk.frames().stream().map(DumpWalks::line).toList();
  }

  /** Returns a register by the name that texts have for it; empty if it is not known. */
  static Optional<Long> register(FrameRegisters registers, String name) {
    if (name.equals("eip")) {
      return Optional.of(registers.ip());
    }
    int number = DumpSpace.NAMES.indexOf(name);
    return number >= 0 && registers.isKnown(number)
        ? Optional.of(registers.get(number))
        : Optional.empty();
  }
}
