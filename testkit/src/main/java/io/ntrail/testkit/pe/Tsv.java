package io.ntrail.testkit.pe;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of values separated by tabs: lines that begin with {@code #} say what it is, the next one
 * names the columns.
 */
public final class Tsv {
  private Tsv() {}

  /**
   * The rows by the names of their columns; a row may end early, what is missing is empty.
   *
   * @param relative in the shared folder, gzip or not, for example {@code
   *     pe/expected/hotpatch-share.tsv}
   */
  public static List<Map<String, String>> rows(String relative) throws IOException {
    byte[] bytes =
        relative.endsWith(".gz")
            ? TestData.gunzip(relative)
            : Files.readAllBytes(TestData.file(relative));
    List<Map<String, String>> rows = new ArrayList<>();
    String[] columns = {};
    for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] cells = line.split("\t", -1);
      if (columns.length == 0) {
        columns = cells;
        continue;
      }
      if (cells.length > columns.length) {
        throw new IllegalArgumentException(relative + ": more cells than columns: " + line);
      }
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < columns.length; i++) {
        row.put(columns[i], i < cells.length ? cells[i] : "");
      }
      rows.add(row);
    }
    return List.copyOf(rows);
  }
}
