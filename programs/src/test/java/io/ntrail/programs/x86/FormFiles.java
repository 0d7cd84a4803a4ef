package io.ntrail.programs.x86;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** All forms, from the files that are their source. */
final class FormFiles {
  private static final List<String> FILES =
      List.of(
          "legacy",
          "0f",
          "0f38",
          "0f3a",
          "3dnow",
          "vex",
          "xop",
          "evex-0f",
          "evex-0f38",
          "evex-0f3a",
          "evex-map5",
          "evex-map6");

  private FormFiles() {}

  static List<Form> read() {
    List<Form> forms = new ArrayList<>();
    for (String file : FILES) {
      text(file + ".txt")
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> forms.add(Form.parse(file, line)));
    }
    return forms;
  }

  /** Operands that manuals do not write, by mnemonic. */
  static Map<String, List<String>> implied() {
    return text("implied.txt")
        .lines()
        .filter(line -> line.contains("|") && !line.startsWith("#"))
        .map(line -> line.split("\\|", -1))
        .collect(
            Collectors.toMap(
                columns -> columns[0].trim(),
                columns -> List.of(columns[1].trim().split(", ", -1))));
  }

  static String text(String name) {
    try (InputStream in = FormFiles.class.getResourceAsStream("forms/" + name)) {
      if (in == null) {
        throw new IllegalStateException("no forms/" + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
