package io.ntrail.formats.etl;

/** Layout constants of ETW recordings. */
final class EtlLayout {
  private EtlLayout() {}
}
