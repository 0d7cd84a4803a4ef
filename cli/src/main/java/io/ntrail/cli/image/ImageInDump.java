package io.ntrail.cli.image;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpedModule;
import io.ntrail.analysis.dumps.ImageComparison;
import io.ntrail.analysis.dumps.ImageSource;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.pe.PeImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/**
 * The image of a module in a dump: out of its memory, and where that was not saved, out of the file
 * of the module, if one of the same build is found.
 */
final class ImageInDump implements AutoCloseable {
  private final Path path;
  private final DumpRecording dump;
  private final SymbolSearchPath files;
  private final DumpedModule module;
  private final PeImage image;

  private ImageInDump(
      Path path, DumpRecording dump, SymbolSearchPath files, DumpedModule module, PeImage image) {
    this.path = path;
    this.dump = dump;
    this.files = files;
    this.module = module;
    this.image = image;
  }

  /**
   * Opens a dump and finds a module in it.
   *
   * @param wanted name or address of the module
   * @throws CannotGoOn if there is no such module, or its headers are nowhere
   */
  static ImageInDump open(Path path, String wanted, ParseResult parsed, Terminal terminal) {
    SymbolSearchPath files = SymbolSearchPath.of(parsed, terminal);
    DumpRecording dump = null;
    boolean done = false;
    try {
      dump = RecordingInput.openDump(path).images(ImageSource.of(files.images().offline()));
      DumpedModule module = module(path, dump, wanted);
      List<Gap> gaps = dump.gaps();
      PeImage image = module.wholeImage().orElseThrow(() -> withoutHeaders(path, module, gaps));
      ImageInDump open = new ImageInDump(path, dump, files, module, image);
      done = true;
      return open;
    } finally {
      if (!done) {
        if (dump != null) {
          dump.close();
        }
        files.close();
      }
    }
  }

  private static DumpedModule module(Path path, DumpRecording dump, String wanted) {
    List<DumpedModule> found = new ArrayList<>();
    address(wanted).flatMap(dump.modules()::moduleAt).ifPresent(found::add);
    for (DumpedModule module : dump.modules().named(wanted)) {
      // Both sides of a 32-bit process list its program.
      if (found.stream().noneMatch(other -> other.base() == module.base())) {
        found.add(module);
      }
    }
    String list = "ntrail info " + ShellWords.file(path) + " -n 0";
    if (found.isEmpty()) {
      throw CannotGoOn.notFound(path + " has no module " + wanted, dump.gaps(), list);
    }
    if (found.size() > 1) {
      String addresses = String.join(", ", found.stream().map(m -> Numbers.hex(m.base())).toList());
      throw new CannotGoOn(
          path + " has " + found.size() + " modules " + wanted + ", at " + addresses,
          "ntrail image --from "
              + ShellWords.file(path)
              + " "
              + Numbers.hex(found.getFirst().base()));
    }
    return found.getFirst();
  }

  private static Optional<Long> address(String word) {
    try {
      return word.startsWith("0x")
          ? Optional.of(Long.parseUnsignedLong(word.substring(2), 16))
          : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static CannotGoOn withoutHeaders(Path path, DumpedModule module, List<Gap> gaps) {
    return CannotGoOn.notFound(
        path
            + " has no headers of "
            + module.name()
            + " in its memory, and no file of its build ("
            + module.id().key()
            + ") is found",
        gaps,
        "-y FOLDER with its file");
  }

  /** Returns the image. */
  PeImage image() {
    return image;
  }

  /** Returns the place beside which a PDB would lie. */
  Path place() {
    return path.resolveSibling(module.name().isEmpty() ? "module" : module.name());
  }

  /** Returns what could not be read of the dump. */
  List<Gap> gaps() {
    return dump.gaps();
  }

  /** Returns how much of the image comes from where, as a sentence for people. */
  String origin() {
    long saved = module.savedBytes();
    String file =
        module
            .file()
            .map(open -> "; the rest from " + open.path())
            .orElse("; the rest was not saved");
    return module.path()
        + " at "
        + Numbers.hex(module.base())
        + ", "
        + Numbers.count(saved)
        + " of "
        + Numbers.count(module.size())
        + " bytes from the memory of "
        + path
        + (saved >= module.size() ? "" : file);
  }

  /**
   * Compares the memory with a file.
   *
   * @throws UsageError if the file is of another build
   */
  ImageComparison compare(PeImage file) {
    ImageId id = new ImageId(file.headers().timestamp(), file.headers().sizeOfImage());
    if (!id.equals(module.id())) {
      throw new CannotGoOn(
          file.name()
              + " is a different build than "
              + module.name()
              + " in the dump ("
              + id.key()
              + ", not "
              + module.id().key()
              + ")",
          "");
    }
    return ImageComparison.of(module, file);
  }

  @Override
  public void close() {
    dump.close();
    files.close();
  }
}
