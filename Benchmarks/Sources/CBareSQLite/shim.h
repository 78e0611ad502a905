// What the baselines call of SQLite, without anything of Assay or GRDB in between.
#include <sqlite3.h>
