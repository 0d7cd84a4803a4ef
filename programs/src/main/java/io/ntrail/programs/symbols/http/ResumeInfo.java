package io.ntrail.programs.symbols.http;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Optional;

/**
 * Identity of a partial download, so that the rest can be requested.
 *
 * @param address that was requested, without user and password
 * @param validator an ETag or a time from the server, without which it is unknown whether the rest
 *     is that of the same file
 * @param encoding of the bytes: {@code identity}, {@code gzip} or {@code deflate}
 */
record ResumeInfo(String address, String validator, String encoding) {
  /** Returns the identity; empty without a validator, since the download cannot be resumed then. */
  static Optional<ResumeInfo> of(String address, HttpHeaders headers, String encoding) {
    return headers
        .firstValue("ETag")
        // A weak one says that the meaning is the same, not the bytes.
        .filter(tag -> tag.startsWith("\"") && tag.length() > 2)
        .or(() -> headers.firstValue("Last-Modified").filter(time -> !time.isBlank()))
        .filter(text -> text.length() < 1000 && text.chars().allMatch(c -> c >= ' ' && c < 0x7F))
        .map(validator -> new ResumeInfo(address, validator, encoding));
  }

  /** Reads one; empty if there is none. */
  static Optional<ResumeInfo> read(String text) {
    List<String> lines = text.lines().toList();
    boolean whole =
        lines.size() == 3
            && lines.stream().allMatch(line -> line.chars().allMatch(c -> c >= ' ' && c < 0x7F))
            && !lines.get(1).isBlank();
    return whole
        ? Optional.of(new ResumeInfo(lines.get(0), lines.get(1), lines.get(2)))
        : Optional.empty();
  }

  /** Returns the text of the note. */
  String text() {
    return address + "\n" + validator + "\n" + encoding + "\n";
  }
}
