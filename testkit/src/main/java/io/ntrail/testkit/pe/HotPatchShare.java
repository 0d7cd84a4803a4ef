package io.ntrail.testkit.pe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Number of functions of an image that can be patched while they run, as measured by another
 * program.
 *
 * @param image its file name
 * @param arch {@code x64} or {@code x86}
 * @param functions distinct function starts found: function table, exports, guard table
 * @param inTable of these from the function table, chained entries not counted
 * @param exports of these exported
 * @param patchable how many functions have both a pad before and a first instruction of two bytes
 *     or more; for the images of Wine exact, else rounded from per cent and only good to one in a
 *     thousand
 */
public record HotPatchShare(
    String image, String arch, int functions, int inTable, int exports, double patchable) {

  /** The shares of the collected images, in per cent of {@code functions}. */
  public static List<HotPatchShare> collected() throws IOException {
    List<HotPatchShare> shares = new ArrayList<>();
    for (Map<String, String> row : Tsv.rows("pe/expected/hotpatch-share.tsv")) {
      shares.add(of(row, "both", "pdata n", "exports n"));
    }
    return List.copyOf(shares);
  }

  /** The counts of the images of Wine 8.0 as Debian 12 packages it. */
  public static List<HotPatchShare> wine8() throws IOException {
    List<HotPatchShare> shares = new ArrayList<>();
    for (Map<String, String> row : Tsv.rows("pe/expected/hotpatch-share-wine8.tsv.gz")) {
      shares.add(of(row, "both", "pdata functions", "exports"));
    }
    return List.copyOf(shares);
  }

  private static HotPatchShare of(
      Map<String, String> row, String both, String table, String exports) {
    return new HotPatchShare(
        cell(row, "image"),
        cell(row, "arch"),
        Integer.parseInt(cell(row, "functions")),
        Integer.parseInt(cell(row, table)),
        Integer.parseInt(cell(row, exports)),
        Double.parseDouble(cell(row, both)));
  }

  private static String cell(Map<String, String> row, String column) {
    String cell = row.get(column);
    if (cell == null) {
      throw new IllegalArgumentException("no column " + column + " in " + row.keySet());
    }
    return cell;
  }
}
