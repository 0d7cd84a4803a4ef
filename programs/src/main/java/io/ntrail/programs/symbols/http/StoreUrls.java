package io.ntrail.programs.symbols.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Addresses of files on servers. */
final class StoreUrls {
  /** Characters that need no escape in a path (RFC 3986, pchar, without {@code %}). */
  private static final String PLAIN = "-._~!$&'()*+,;=:@";

  private StoreUrls() {}

  /**
   * Returns the URL of a file below the root of a server. A query of the root stays at the end:
   * some servers have their keys there.
   *
   * @param parts names of folders and of the file, not encoded
   */
  static URI of(URI root, List<String> parts) {
    StringBuilder text = new StringBuilder(root.getScheme()).append("://");
    if (root.getRawUserInfo() != null) {
      text.append(root.getRawUserInfo()).append('@');
    }
    text.append(root.getHost());
    if (root.getPort() >= 0) {
      text.append(':').append(root.getPort());
    }
    text.append(root.getRawPath() == null ? "" : root.getRawPath().replaceAll("/+$", ""));
    parts.forEach(part -> text.append('/').append(encoded(part)));
    if (root.getRawQuery() != null) {
      text.append('?').append(root.getRawQuery());
    }
    return URI.create(text.toString());
  }

  static String encoded(String part) {
    StringBuilder text = new StringBuilder();
    for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      boolean plain =
          c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || isPlain(c);
      if (plain) {
        text.append(c);
      } else {
        text.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
      }
    }
    return text.toString();
  }

  private static boolean isPlain(char c) {
    return PLAIN.indexOf(c) >= 0;
  }

  /** Returns the URL without its user, as it is requested. */
  static URI withoutUser(URI address) {
    if (address.getRawUserInfo() == null) {
      return address;
    }
    return URI.create(
        address
            .toString()
            .replaceFirst("//" + Pattern.quote(address.getRawUserInfo()) + "@", "//")
            .replaceFirst("#.*", ""));
  }

  /** Returns the Authorization header for the user in a URL. */
  static Optional<String> authorization(URI address) {
    return Optional.ofNullable(address.getUserInfo())
        .map(user ->
            "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns true if credentials of one may be sent to the other. */
  static boolean isSamePlace(URI one, URI other) {
    return String.valueOf(one.getScheme()).equalsIgnoreCase(other.getScheme())
        && String.valueOf(one.getHost()).equalsIgnoreCase(other.getHost())
        && port(one) == port(other);
  }

  private static int port(URI address) {
    return address.getPort() >= 0 ? address.getPort() : isSafe(address) ? 443 : 80;
  }

  /** Returns true if the connection is encrypted. */
  static boolean isSafe(URI address) {
    return "https".equalsIgnoreCase(address.getScheme());
  }

  /** Returns true if the scheme is supported. */
  static boolean isWeb(@Nullable URI address) {
    return address != null
        && address.getHost() != null
        && (isSafe(address) || "http".equalsIgnoreCase(address.getScheme()));
  }

  /**
   * Returns the target of a redirection.
   *
   * @param location the header, which may contain anything
   * @return empty if it is not a URL
   */
  static Optional<URI> resolved(URI from, String location) {
    if (location.isBlank()) {
      return Optional.empty();
    }
    try {
      // Servers leave blanks as they are.
      URI to = from.resolve(new URI(location.strip().replace(" ", "%20")));
      return isWeb(to) ? Optional.of(to) : Optional.empty();
    } catch (URISyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
