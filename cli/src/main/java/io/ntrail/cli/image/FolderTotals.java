package io.ntrail.cli.image;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.programs.image.ImageMitigations;
import io.ntrail.programs.patchability.Patchability;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sums of the images of a folder: how many have each mitigation, and which are the odd ones.
 */
final class FolderTotals {
  /** Files that are named as odd ones, at most. */
  private static final int NAMED = 5;

  /** The mitigations that are summed. */
  private enum Mitigation {
    ASLR("aslrEffective"),
    DEP("nx"),
    CFG("cfg"),
    CET("cet");

    final String key;

    Mitigation(String key) {
      this.key = key;
    }

    /** Returns null if that is unknown. */
    @Nullable Boolean isIn(ImageMitigations security) {
      return switch (this) {
        case ASLR -> security.aslrEffective();
        case DEP -> security.nx();
        case CFG -> security.cfg();
        case CET -> security.cet();
      };
    }
  }

  /** The images with a mitigation and those without: how many, and the first ones. */
  private static final class Split {
    final List<String> with = new ArrayList<>();
    final List<String> without = new ArrayList<>();
    long having;
    long lacking;
    long unknown;

    void add(@Nullable Boolean has, String file) {
      if (has == null) {
        unknown++;
        return;
      }
      having += has ? 1 : 0;
      lacking += has ? 0 : 1;
      List<String> side = has ? with : without;
      if (side.size() <= NAMED) {
        side.add(file);
      }
    }

    String text() {
      String share =
          Numbers.count(having)
              + " of "
              + Numbers.count(having + lacking)
              + (unknown == 0 ? "" : " (unknown of " + Numbers.count(unknown) + " more)");
      if (lacking > 0 && lacking <= NAMED && lacking <= having) {
        return share + ", all but " + String.join(", ", without);
      }
      return having > 0 && having <= NAMED && lacking > 0
          ? share + ": " + String.join(", ", with)
          : share;
    }
  }

  private final Map<Mitigation, Split> splits = new EnumMap<>(Mitigation.class);
  private long images;
  private long functions;
  private long made;
  private long possible;

  FolderTotals() {
    for (Mitigation mitigation : Mitigation.values()) {
      splits.put(mitigation, new Split());
    }
  }

  /**
   * Adds an image.
   *
   * @param file its path below the folder
   * @param patches how its functions can be patched; null: not requested
   */
  void add(String file, ImageMitigations security, @Nullable Patchability patches) {
    images++;
    splits.forEach((mitigation, split) -> split.add(mitigation.isIn(security), file));
    if (patches != null) {
      functions += patches.share().functions();
      made += patches.share().both();
      possible += patches.possible();
    }
  }

  void print(PrintStream out) {
    if (images == 0) {
      return;
    }
    splits.forEach((mitigation, split) ->
        out.println("  " + mitigation + "  " + TextSanitizer.one(split.text())));
    if (functions > 0) {
      out.println(
          "  %s: %s made for hot-patching (%s %%), %s can be patched (%s %%)"
              .formatted(
                  Numbers.counted(functions, "function"),
                  Numbers.count(made),
                  Numbers.percent(made, functions),
                  Numbers.count(possible),
                  Numbers.percent(possible, functions)));
    }
  }

  /** Writes the sums as a member of an open object. */
  void json(Json json) {
    json.object("totals").number("images", images);
    splits.forEach((mitigation, split) -> json.number(mitigation.key, split.having));
    json.endObject();
  }
}
