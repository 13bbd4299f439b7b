import './database.ts';
import './grant.ts';
import './role.ts';
