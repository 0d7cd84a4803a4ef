package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.RecordedImages;
import io.ntrail.analysis.etw.RecordedImages.Row;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.Additions;
import io.ntrail.analysis.merge.Additions.Missing;
import io.ntrail.analysis.merge.Additions.SystemFacts;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolBundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/**
 * A recording in a zip with the PDBs of its images: {@code NAME.etl}, and {@code NAME.etl.NGENPDB/}
 * as a symbol store. Unpacked, it lies as Windows Performance Recorder lays it; PerfView and the
 * commands of ntrail find the PDBs in the zip.
 */
final class PackedRecording {
  /** End of the names of such files. */
  private static final String SUFFIX = ".etl.zip";

  private final ParseResult parsed;
  private final Terminal terminal;
  private final List<Missing> missing = new ArrayList<>();

  private PackedRecording(ParseResult parsed, Terminal terminal) {
    this.parsed = parsed;
    this.terminal = terminal;
  }

  /**
   * Returns the name that the recording has in the zip.
   *
   * @throws UsageError if the zip is not a file called {@code NAME.etl.zip}
   */
  static String name(OutputFile zip) {
    String name = zip.place().getFileName().toString();
    boolean isNamed =
        name.length() > SUFFIX.length() && name.toLowerCase(Locale.ROOT).endsWith(SUFFIX);
    if (!isNamed || zip.isDirect()) {
      throw new UsageError(
          "--pack makes a zip: -o needs the name of a file NAME.etl.zip",
          "ntrail merge a.etl --pack -o all.etl.zip");
    }
    return name.substring(0, name.length() - ".zip".length());
  }

  /**
   * Packs a recording.
   *
   * @param etl the recording
   * @param inputs that it was made of: PDBs may be in them or beside them
   * @param zip to be written
   * @return the number of PDBs, and what is missing
   */
  static Additions write(
      Path etl, List<Path> inputs, OutputFile zip, ParseResult parsed, Terminal terminal) {
    return new PackedRecording(parsed, terminal).write(etl, inputs, zip);
  }

  private Additions write(Path etl, List<Path> inputs, OutputFile zip) {
    String name = name(zip);
    try (InputFile bytes = InputFile.map(etl, name);
        SymbolBundle bundle = new SymbolBundle(zip, name + ".NGENPDB/")) {
      bundle.addFile(name, bytes);
      try (EtwRecording recording = EtwRecording.of(List.of(InputFile.map(etl, name)));
          SymbolSearchPath places = SymbolSearchPath.of(inputs, parsed, terminal)) {
        pack(recording, places, bundle);
      }
      bundle.finish();
      return new Additions(List.of(), 0, SystemFacts.NONE, 0, bundle.count(), missing);
    } catch (IOException e) {
      throw zip.failed(e);
    }
  }

  private void pack(EtwRecording recording, SymbolSearchPath places, SymbolBundle bundle) {
    RecordedImages images;
    try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      images = RecordedImages.of(recording, places.search().offline(), CommonOptions.cores(parsed));
    }
    boolean isStopped = recording.stopped().isPresent();
    try (images) {
      StoppableWork<WorkPhase> work =
          new StoppableWork<>(new WorkPhase("looking for the PDBs of the images", "PDB"));
      List<Row> rows;
      try (Progress _ = WorkProgress.of(work, parsed, terminal).start()) {
        rows = images.find(images.all(), work);
      }
      if (isStopped || work.stoppedAt().isPresent()) {
        throw CannotGoOn.interrupted();
      }
      PdbSearch search = places.search().offline();
      rows.forEach(row -> add(row, search, bundle));
      images.remarks().forEach(why -> terminal.err().println("warning: " + why));
    }
  }

  private void add(Row row, PdbSearch search, SymbolBundle bundle) {
    Optional<StoreKey> key = row.pdbKey();
    Optional<OpenPdb> pdb = row.source().pdb();
    if (key.isPresent() && pdb.isPresent() && pdb.get().gaps().isEmpty()) {
      bundle.add(key.get(), pdb.get().input());
      return;
    }
    if (key.isPresent() && addUnnamed(row, key.get(), search, bundle)) {
      return;
    }
    String why =
        switch (row.state()) {
          case FOUND -> "damaged";
          case WRONG -> "only another build found";
          case MISSING -> "not found";
          case NO_ID -> "the recording names none";
        };
    missing.add(
        row.state() == RecordedImages.State.NO_ID
            ? new Missing("image", row.image().name(), "no PDB id recorded")
            : new Missing("PDB", key.map(StoreKey::name).orElseGet(() -> row.image().name()), why));
  }

  /**
   * Packs the PDB of a native image of .NET that has no table of sections, so that it names nothing
   * here: other tools have the image beside it.
   *
   * @return false if there is none
   */
  private static boolean addUnnamed(Row row, StoreKey key, PdbSearch search, SymbolBundle bundle) {
    Optional<PdbReference> reference = row.source().reference();
    if (row.state() != RecordedImages.State.WRONG || reference.isEmpty()) {
      return false;
    }
    Optional<OpenPdb> pdb = search.find(reference.get().id(), reference.get().fileName()).pdb();
    if (pdb.isEmpty()) {
      return false;
    }
    try (OpenPdb open = pdb.get()) {
      bundle.add(key, open.input());
      return true;
    }
  }
}
