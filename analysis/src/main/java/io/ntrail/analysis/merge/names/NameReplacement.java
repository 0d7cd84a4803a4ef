package io.ntrail.analysis.merge.names;

import io.ntrail.analysis.merge.RecordRewriter;
import io.ntrail.analysis.merge.names.RecordTexts.Kind;
import io.ntrail.formats.etl.RecordCursor;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * Replaces {@link PrivateNames} by pseudonyms of the same length, and the SIDs of accounts by
 * others: in texts of any encoding, in any case, the same name always by the same pseudonym.
 * Numbers of described events are never touched. One thread.
 */
public final class NameReplacement implements RecordRewriter {
  private static final int KEY_BYTES = 32;

  private final RecordTexts texts;
  private final NameMatcher matcher;
  private final SidReplacement sids;

  /**
   * Gives names their pseudonyms.
   *
   * @param key secret of this run: {@link #randomKey}
   * @throws io.ntrail.formats.bytes.CannotGoOn if there are more names of some length than
   *     pseudonyms
   */
  public NameReplacement(PrivateNames names, byte[] key) {
    Pseudonyms pseudonyms = new Pseudonyms(key);
    PseudonymTable table = names.table();
    pseudonyms.name(table);
    this.texts = names.texts();
    this.matcher = new NameMatcher(table, names.pages());
    this.sids = new SidReplacement(pseudonyms);
  }

  /** Returns a key that nobody else knows. */
  public static byte[] randomKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  @Override
  public void rewrite(RecordCursor record, byte[] copy, int at) {
    texts.moveTo(record);
    for (int i = 0; i < texts.count(); i++) {
      replace(copy, at + texts.from(i), at + texts.to(i), texts.kind(i));
    }
  }

  @Override
  public void rewrite(byte[] data, int from, int to) {
    replace(data, from, to, Kind.UNKNOWN);
  }

  @Override
  public String rewrite(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_16LE);
    replace(bytes, 0, bytes.length, Kind.UTF16);
    return new String(bytes, StandardCharsets.UTF_16LE);
  }

  private void replace(byte[] data, int from, int to, Kind kind) {
    if (kind != Kind.DESCRIPTION) {
      sids.replace(data, from, to);
    }
    matcher.replace(data, from, to, kind);
  }

  /** Returns the number of machines, domains and accounts whose SIDs were replaced so far. */
  public int sids() {
    return sids.count();
  }
}
