package io.ntrail.live.plan;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Local file that a module was loaded from: mapped, and only used if it is the same build. */
public final class ModuleFile implements AutoCloseable {
  private final @Nullable Contents contents;
  private final PlanSymbols symbols;
  private final Optional<Missing> missing;
  private final List<String> unusable;

  /**
   * Reason for a missing file.
   *
   * @param problem what is wrong with it
   * @param detail which file it is, or what the system says
   */
  public record Missing(Problem problem, String detail) {}

  /** Problem with a file. */
  enum Problem {
    NOT_HERE("not found on this machine"),
    OTHER_BUILD("a different build"),
    UNREADABLE("unreadable");

    private final String text;

    Problem(String text) {
      this.text = text;
    }

    /** Returns a description of the file. */
    String text() {
      return text;
    }
  }

  /** The file, and where the module lies. */
  private record Contents(Path path, InputFile input, PeImage image, long base) {}

  private ModuleFile(
      @Nullable Contents contents,
      PlanSymbols symbols,
      Optional<Missing> missing,
      List<String> unusable) {
    this.unusable = unusable;
    this.contents = contents;
    this.symbols = symbols;
    this.missing = missing;
  }

  /**
   * Opens the file of a module.
   *
   * @param path where this machine has it, if it does
   * @param image what lies in memory; its headers are enough
   * @param symbols where its PDB may lie, besides its own folder
   */
  public static ModuleFile open(
      Optional<Path> path, TargetModule module, PeImage image, PdbSearch symbols) {
    if (path.isEmpty() || !Files.isRegularFile(path.get())) {
      return without(Problem.NOT_HERE, module.path());
    }
    InputFile input = null;
    boolean done = false;
    try {
      input = InputFile.map(path.get(), module.name());
      PeImage stored = PeImage.ofFile(input);
      if (!stored.headers().isSameBuild(image.headers())) {
        return without(Problem.OTHER_BUILD, path.get().toString());
      }
      List<String> unusable = new ArrayList<>();
      PlanSymbols names = symbols(symbols.find(path.get(), stored), stored, unusable);
      Contents contents = new Contents(path.get(), input, stored, module.base());
      done = true;
      return new ModuleFile(contents, names, Optional.empty(), unusable);
    } catch (IOException | CannotGoOn | DamagedInput e) {
      return without(Problem.UNREADABLE, String.valueOf(e.getMessage()));
    } finally {
      if (!done && input != null) {
        input.close();
      }
    }
  }

  /** Reads the symbols of a file and its PDB; reports the parts that cannot be used. */
  private static PlanSymbols symbols(
      PdbSearch.Result found, PeImage stored, List<String> unusable) {
    unusable.addAll(found.unusable());
    unusable.addAll(found.remarks());
    if (found.pdb().isEmpty()) {
      return PlanSymbols.of(stored, Optional.empty());
    }
    try (OpenPdb open = found.pdb().get()) {
      PlanSymbols symbols = PlanSymbols.of(stored, Optional.of(open.pdb()));
      if (!open.gaps().isEmpty()) {
        unusable.add("symbols of %s are incomplete: the file is damaged".formatted(open.path()));
      }
      return symbols;
    }
  }

  private static ModuleFile without(Problem problem, String detail) {
    return new ModuleFile(
        null, PlanSymbols.NONE, Optional.of(new Missing(problem, detail)), List.of());
  }

  /** Returns the expected code; valid until this is closed. */
  public Optional<FileCode> code() {
    return Optional.ofNullable(contents).map(file -> FileCode.of(file.image, file.base));
  }

  /**
   * Returns the image as it is in the file, to be used after this is closed; empty if it cannot be
   * read. For modules that are loaded, whose program has the file mapped itself.
   */
  public Optional<PeImage> lasting() {
    if (contents == null) {
      return Optional.empty();
    }
    try {
      InputFile file = InputFile.mapWhileUsed(contents.path, contents.input.name());
      return Optional.of(PeImage.ofFile(file))
          .filter(image -> image.headers().isSameBuild(contents.image.headers()));
    } catch (IOException | CannotGoOn e) {
      return Optional.empty();
    }
  }

  /** Returns the symbols of the PDB and the symbol table, which are not in memory. */
  public PlanSymbols symbols() {
    return symbols;
  }

  /** Returns remarks about PDBs that cannot be used and stores that keep no copy. */
  List<String> unusable() {
    return unusable;
  }

  /** Returns why it is missing. */
  public Optional<Missing> missing() {
    return missing;
  }

  @Override
  public void close() {
    if (contents != null) {
      contents.input.close();
    }
  }
}
