package io.ntrail.programs.kernelcode;

/**
 * An instruction that a dynamic relocation record is about.
 *
 * @param rva its first byte
 * @param form as the record describes it
 * @param slot RVA of the pointer that an import goes through in the file; 0: it has none, or it is
 *     not one of an import
 * @param outcome whether and how it was rewritten
 * @param target address that it goes to when it was rewritten: the import, or a thunk; else 0
 */
public record CodeSite(long rva, SiteForm form, long slot, SiteOutcome outcome, long target) {
  /** Returns the RVA past the last byte. */
  public long end() {
    return rva + form.length();
  }
}
