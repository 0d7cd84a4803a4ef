package io.ntrail.cli.pt;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.elf.ElfImage;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ElfSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.memory.LayeredSpace;
import io.ntrail.programs.memory.PageSpace;
import io.ntrail.programs.memory.RawSpace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** The code that ran, as {@code --code} and {@code --pages} name it; holds the files open. */
final class PtCode implements AutoCloseable {
  private static final String CODE = "--code";
  private static final String PAGES = "--pages";
  private static final int PE_MAGIC = 0x5A4D;

  private final List<InputFile> files = new ArrayList<>();
  private final List<AddressSpace> spaces = new ArrayList<>();

  private PtCode() {}

  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.values(
            "FILE[@ADDRESS]",
            "code: ELF or PE at its lowest load address (default: its own), else raw bytes",
            CODE));
    spec.addOption(
        CommonOptions.values(
            "ADDRESSES,DUMP", "code: pages of 4 KiB, and a file of their addresses", PAGES));
  }

  /**
   * Opens the files.
   *
   * @throws UsageError if there are none
   */
  static PtCode open(ParseResult parsed) {
    PtCode code = new PtCode();
    try {
      for (String word : CommonOptions.all(parsed, CODE)) {
        code.addFile(word);
      }
      for (String word : CommonOptions.all(parsed, PAGES)) {
        code.addPages(word);
      }
    } catch (CannotGoOn | DamagedInput | UsageError e) {
      code.close();
      throw e;
    }
    if (code.spaces.isEmpty()) {
      throw new UsageError(
          "pt flow needs the code that ran", "ntrail pt flow trace.pt --code program@0x400000");
    }
    return code;
  }

  private void addFile(String word) {
    int mark = word.lastIndexOf('@');
    InputFile file = open(mark < 0 ? word : word.substring(0, mark));
    boolean isElf = ElfImage.looksLikeElf(file);
    boolean isPe = !isElf && file.size() >= 2 && file.window(0, 2).u16(0) == PE_MAGIC;
    if (mark < 0 && !isElf && !isPe) {
      throw new UsageError(
          CODE + " " + word + " is neither ELF nor PE, and needs its address",
          CODE + " " + word + "@0x400000");
    }
    long address = mark < 0 ? 0 : address(word, word.substring(mark + 1));
    if (isElf) {
      ElfImage image = ElfImage.of(file);
      spaces.add(new ElfSpace(image, mark < 0 ? image.lowest() : address));
    } else if (isPe) {
      PeImage image = PeImage.ofFile(file);
      spaces.add(new ImageSpace(image, mark < 0 ? image.headers().imageBase() : address));
    } else {
      spaces.add(new RawSpace(file, address));
    }
  }

  private static long address(String word, String text) {
    try {
      return FunctionArgument.address(text);
    } catch (NumberFormatException _) {
      throw new UsageError(CODE + " takes FILE@ADDRESS, not " + word, CODE + " program@0x400000");
    }
  }

  private void addPages(String word) {
    int comma = word.indexOf(',');
    if (comma <= 0) {
      throw new UsageError(
          PAGES + " takes ADDRESSES,DUMP, not " + word, PAGES + " code.addr,code.dump");
    }
    spaces.add(new PageSpace(open(word.substring(0, comma)), open(word.substring(comma + 1))));
  }

  private InputFile open(String word) {
    Path path = CommonOptions.path(word);
    List<InputFile> opened = Archives.open(path, _ -> true, new Gaps());
    files.addAll(opened);
    if (opened.size() != 1) {
      throw new CannotGoOn(path + " holds " + opened.size() + " files", "unpack it");
    }
    return opened.getFirst();
  }

  /** Returns the code: of two files at one address, the one that was named first counts. */
  AddressSpace space() {
    return spaces.size() == 1 ? spaces.getFirst() : new LayeredSpace("code", spaces);
  }

  @Override
  public void close() {
    files.forEach(InputFile::close);
  }
}
