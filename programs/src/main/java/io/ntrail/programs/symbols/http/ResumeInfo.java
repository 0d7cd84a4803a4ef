package io.ntrail.programs.symbols.http;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Optional;

/**
 * What the beginning of a file belongs to, so that its rest can be asked for.
 *
 * @param address that was asked, without user and password
 * @param validator an ETag or a time that the server gave it, without which nobody knows whether
 *     the rest is that of the same file
 * @param encoding of the bytes: {@code identity}, {@code gzip} or {@code deflate}
 */
record ResumeInfo(String address, String validator, String encoding) {
  /** Where the server gave no proof there is nothing to go on from. */
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

  /** As it is noted. */
  String text() {
    return address + "\n" + validator + "\n" + encoding + "\n";
  }
}
