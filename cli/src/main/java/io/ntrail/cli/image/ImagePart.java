package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

/**
 * A part of an image that was requested.
 *
 * @param rows what formats of one line a row print
 * @param screen what people see: the same rows, or a digest of them
 * @param json writes it as a member of an open object
 * @param lines writes an object of JSON per row
 * @param remarks on what it leaves out
 */
record ImagePart(
    Listing<?> rows,
    Screen screen,
    Consumer<Json> json,
    Consumer<PrintStream> lines,
    List<Remark> remarks) {
  /**
   * A remark beside the answer.
   *
   * @param isOnScreen whether what people see says it, too
   */
  record Remark(String text, boolean isOnScreen) {}

  /** Prints it for people. */
  @FunctionalInterface
  interface Screen {
    /**
     * Prints it.
     *
     * @param limit rows at most; 0 for all
     * @param width columns of the terminal; 0 to cut nothing
     */
    void print(PrintStream out, long limit, int width);
  }

  ImagePart(Listing<?> rows, Screen screen, Consumer<Json> json) {
    this(rows, screen, json, out -> lines(rows, out));
  }

  ImagePart(Listing<?> rows, Screen screen, Consumer<Json> json, Consumer<PrintStream> lines) {
    this(rows, screen, json, lines, List.of());
  }

  /** Returns it with remarks. */
  ImagePart with(List<Remark> its) {
    return new ImagePart(rows, screen, json, lines, its);
  }

  private static void lines(Listing<?> rows, PrintStream out) {
    try (Json json = new Json(out)) {
      rows.lines(json);
    }
  }

  /** One that is the same rows everywhere, closed by how many there are. */
  static ImagePart of(Listing<?> listing, String noun) {
    return new ImagePart(listing, table(listing, noun), listing::json);
  }

  static Screen table(Listing<?> listing, String noun) {
    return (out, limit, width) ->
        out.println(Numbers.counted(listing.table(out, limit, width), noun));
  }
}
