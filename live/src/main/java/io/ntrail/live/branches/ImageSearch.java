package io.ntrail.live.branches;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.patchability.BranchFinder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Search in all of a library's file, of which some functions are planned. */
public interface ImageSearch extends BranchFinder {
  /**
   * Begins to go through a table, as {@link FunctionTable#continuing} does. The result may come
   * with that of {@link #find}.
   */
  CompletableFuture<Optional<int[]>> continuing(FunctionTable table);

  /** Returns a search in this process. */
  static ImageSearch here() {
    return new ImageSearch() {
      @Override
      public long[] find(PeImage image, List<CodeRanges.Range> code, long[] starts) {
        return HERE.find(image, code, starts);
      }

      @Override
      public CompletableFuture<Optional<int[]>> continuing(FunctionTable table) {
        return CompletableFuture.supplyAsync(table::continuing);
      }
    };
  }
}
