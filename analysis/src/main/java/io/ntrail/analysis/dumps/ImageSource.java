package io.ntrail.analysis.dumps;

import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.SymbolStores;
import java.util.Optional;

/** Finds the files of modules: only those of the build that was loaded. */
@FunctionalInterface
public interface ImageSource {
  /** Returns the file of a module, to be closed by the caller; empty if it is not found. */
  Optional<OpenImage> find(DumpedModule module);

  /** Returns a source that looks into stores and folders, by name, time stamp and size. */
  static ImageSource of(SymbolStores stores) {
    return module ->
        ImageFileRequest.of(module.name(), module.id())
            .flatMap(request -> stores.find(request).found());
  }
}
