package io.ntrail.analysis.dumps;

import io.ntrail.programs.symbols.OpenImage;
import java.util.Optional;

/** Finds the files of modules: only those of the build that was loaded. */
@FunctionalInterface
public interface ImageSource {
  /** Knows no files. */
  ImageSource NONE = _ -> Optional.empty();

  /** Returns the file of a module, to be closed by the caller; empty if it is not found. */
  Optional<OpenImage> find(DumpedModule module);
}
