/**
 * File formats: readers (and some writers) that turn bytes into records, one package per format.
 */
module io.ntrail.formats {
  requires java.xml;
  requires static org.jspecify;

  exports io.ntrail.formats.archives;
  exports io.ntrail.formats.bytes;
  exports io.ntrail.formats.cab;
  exports io.ntrail.formats.collapsed;
  exports io.ntrail.formats.collections;
  exports io.ntrail.formats.compression;
  exports io.ntrail.formats.decoration;
  exports io.ntrail.formats.dump;
  exports io.ntrail.formats.dump.context;
  exports io.ntrail.formats.dump.streams;
  exports io.ntrail.formats.dump.write;
  exports io.ntrail.formats.elf;
  exports io.ntrail.formats.etl;
  exports io.ntrail.formats.etl.groups;
  exports io.ntrail.formats.identity;
  exports io.ntrail.formats.jtrc;
  exports io.ntrail.formats.ntr;
  exports io.ntrail.formats.pdb;
  exports io.ntrail.formats.pdb.codeview;
  exports io.ntrail.formats.pdb.msf;
  exports io.ntrail.formats.pe;
  exports io.ntrail.formats.pe.build;
  exports io.ntrail.formats.pe.fixups;
  exports io.ntrail.formats.pe.handlers;
  exports io.ntrail.formats.pe.unwind;
  exports io.ntrail.formats.pt;
  exports io.ntrail.formats.registry;
  exports io.ntrail.formats.schema;
  exports io.ntrail.formats.schema.write;
  exports io.ntrail.formats.wprp;
}
